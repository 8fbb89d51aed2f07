/**
 * The rest of a suggestion after the user typed along it, or null where the typing differs. Indentation may differ: the
 * editor indents new lines itself, and the suggestion continues after that.
 *
 * @param suggested and typed: texts with `\n` line ends
 */
export function typedThrough(suggested: string, typed: string): string | null {
  let at = 0;
  let index = 0;
  while (index < typed.length) {
    if (suggested[at] !== typed[index]) return null;
    const lineBreak = typed[index] === '\n';
    at += 1;
    index += 1;
    if (!lineBreak) continue;
    const typedBlanks = blanksAt(typed, index);
    const suggestedBlanks = blanksAt(suggested, at);
    index += typedBlanks.length;
    // The user may still be typing the suggestion's own indentation.
    const insideIndentation = index === typed.length && suggestedBlanks.startsWith(typedBlanks);
    at += insideIndentation ? typedBlanks.length : suggestedBlanks.length;
  }
  return suggested.slice(at);
}

function blanksAt(text: string, start: number): string {
  let end = start;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return text.slice(start, end);
}
