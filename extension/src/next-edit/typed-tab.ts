/** What the Tab key writes in the middle of a line. @param column where it stands, with tabs as wide as they are shown */
export function tabText(column: number, { tabSize, insertSpaces }: { tabSize: number; insertSpaces: boolean }): string {
  return insertSpaces ? ' '.repeat(tabSize - (column % tabSize)) : '\t';
}

/** The width of a text at the start of a line. */
export function columnBehind(text: string, tabSize: number): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? tabSize - (column % tabSize) : 1;
  return column;
}
