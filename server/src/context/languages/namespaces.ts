const OPENS = /^(?:inline\s+)?namespace\b[\w:.\s]*(?:\{\s*)?$|^extern\s+"C(?:\+\+)?"\s*(?:\{\s*)?$/;
/** Below the line that opens a namespace: its bracket, and a blank line. */
const LINES_TO_CONTENT = 3;

/** The lines of a C++ or C# file without the indentation that namespaces give them, one for one. */
export function outsideNamespaces(lines: readonly string[]): readonly string[] {
  const outer: string[] = [];
  let margin = '';
  let hasOpened = false;
  return lines.map((line, index) => {
    // The preprocessor's lines stand at the margin, whatever is around them.
    if (line.trim() === '' || line.startsWith('#')) return line;
    const isBracket = hasOpened && line.trim() === '{';
    hasOpened = false;
    if (isBracket) return '{';
    while (margin !== '' && !line.startsWith(margin)) margin = outer.pop() ?? '';
    const own = line.slice(margin.length);
    const content = OPENS.test(own) ? marginOfContent(lines, index, margin) : margin;
    if (content !== margin) {
      outer.push(margin);
      margin = content;
      hasOpened = true;
    }
    return own;
  });
}

/** How the first line of a namespace's content is indented; as the namespace itself without content. */
function marginOfContent(lines: readonly string[], opening: number, margin: string): string {
  for (const line of lines.slice(opening + 1, opening + 1 + LINES_TO_CONTENT)) {
    const indentation = /^[ \t]*/.exec(line)?.[0] ?? '';
    const content = line.slice(indentation.length);
    if (content === '' || content.startsWith('#') || (content === '{' && indentation === margin)) continue;
    return indentation.startsWith(margin) ? indentation : margin;
  }
  return margin;
}
