/** The line of an offset, zero-based. */
export function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Where a line begins, zero-based; the last line's start where there are fewer. */
export function offsetOfLine(text: string, line: number): number {
  let start = 0;
  for (let passed = 0; passed < line; passed++) {
    const lineFeed = text.indexOf('\n', start);
    if (lineFeed < 0) break;
    start = lineFeed + 1;
  }
  return start;
}

/** Where the line of an offset begins. */
export function lineStartAt(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}
