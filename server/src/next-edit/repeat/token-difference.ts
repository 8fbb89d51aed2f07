/** A stretch of tokens that an edit replaced: `[start, end)` before, `[newStart, newEnd)` after. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Between their common start and end, texts of more tokens are one hunk: the table below grows with their product. */
const MOST_COMPARED_TOKENS = 400;

const TOKEN = /[\p{L}\p{N}_$]+|\n[ \t]*|[^\S\n]+|[^\s]/gu;

/** Words, line ends with the indentation after them, blanks, and single marks. Joined, they are the text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

/** The stretches in which two token sequences differ, in order, without common tokens at their ends. */
export function differingTokens(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = before.length;
  let newEnd = after.length;
  while (end > start && newEnd > start && before[end - 1] === after[newEnd - 1]) {
    end--;
    newEnd--;
  }
  if (start === end && start === newEnd) return [];
  const whole = { start, end, newStart: start, newEnd };
  if (start === end || start === newEnd) return [whole];
  if (end - start > MOST_COMPARED_TOKENS || newEnd - start > MOST_COMPARED_TOKENS) return [whole];
  return hunksBetween(before, after, whole);
}

/** By the longest common subsequence. */
function hunksBetween(before: readonly string[], after: readonly string[], whole: Hunk): readonly Hunk[] {
  const { start, end, newStart, newEnd } = whole;
  const [rows, columns] = [end - start, newEnd - newStart];
  const width = columns + 1;
  const longest = new Uint16Array((rows + 1) * width);
  const lengthAt = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      longest[row * width + column] =
        before[start + row] === after[newStart + column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const hunks: Hunk[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const from = { start: start + row, newStart: newStart + column };
    while (
      (row < rows || column < columns) &&
      !(row < rows && column < columns && before[start + row] === after[newStart + column])
    ) {
      if (column >= columns || (row < rows && lengthAt(row + 1, column) >= lengthAt(row, column + 1))) row++;
      else column++;
    }
    hunks.push({ ...from, end: start + row, newEnd: newStart + column });
    while (row < rows && column < columns && before[start + row] === after[newStart + column]) {
      row++;
      column++;
    }
  }
  return hunks.filter((hunk) => hunk.end > hunk.start || hunk.newEnd > hunk.newStart);
}
