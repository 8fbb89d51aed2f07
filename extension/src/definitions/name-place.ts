import type { PlacedName } from './names-around.js';

const LINES_TO_HEADER = 400;
const LONGEST_HEADER = 200;

const INDENTATION = /^[ \t]*/;
const BLANK_OR_COMMENT = /^\s*(?:$|[#*]|\/[/*])/;
/** Its header is further up, as deep as it is. */
const CLOSING = /^\s*[)\]}]/;
/** It opens a block, but no scope of its own. */
const CONTROL_FLOW = /^\s*(?:if|elif|else|for|while|do|switch|case|default|try|catch|except|finally|with|match)\b/;
/** A name after one of these belongs to what stands before it. */
const BEHIND_RECEIVER = /[.:>]/;

/**
 * Where a name stands, as text that stays the same while lines are added and removed elsewhere: the headers of the
 * declarations around it, what it is a member of, and itself. The same name at the same place means the same.
 *
 * @param lineAt the text of a line; null beyond the document
 */
export function placeOfName(lineAt: (line: number) => string | null, { name, line, character }: PlacedName): string {
  const text = lineAt(line) ?? '';
  const headers: string[] = [];
  let depth = indentationOf(text);
  for (let above = line - 1; above >= Math.max(0, line - LINES_TO_HEADER) && depth > 0; above -= 1) {
    const header = (lineAt(above) ?? '').slice(0, LONGEST_HEADER);
    const indentation = indentationOf(header);
    if (indentation >= depth || BLANK_OR_COMMENT.test(header)) continue;
    const isClosing = CLOSING.test(header);
    depth = isClosing ? indentation + 1 : indentation;
    if (!isClosing && !CONTROL_FLOW.test(header)) headers.push(header.trim());
  }
  return [...headers, receiverOf(text, character), name].join('\n');
}

function indentationOf(text: string): number {
  return INDENTATION.exec(text)?.[0].length ?? 0;
}

/** `basket.` in `sum(1, basket.total)`; empty for a name that stands alone. */
function receiverOf(text: string, character: number): string {
  if (!BEHIND_RECEIVER.test(text.charAt(character - 1))) return '';
  let start = character;
  while (start > 0 && text.charAt(start - 1).trim() !== '') start -= 1;
  return text.slice(start, character);
}
