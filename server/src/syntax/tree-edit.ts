import type { Edit, Point } from 'web-tree-sitter';
import type { TextChange } from './syntax.js';

/** A change in tree-sitter's form, which has rows and columns besides offsets. */
export function treeEdit(EditClass: typeof Edit, before: string, change: TextChange): Edit {
  const startPosition = pointAt(before, change.start, { row: 0, column: 0 }, 0);
  const oldEndPosition = pointAt(before, change.end, startPosition, change.start);
  const newEndPosition = pointAt(change.text, change.text.length, startPosition, 0);
  return new EditClass({
    startIndex: change.start,
    oldEndIndex: change.end,
    newEndIndex: change.start + change.text.length,
    startPosition,
    oldEndPosition,
    newEndPosition,
  });
}

/** The point at `end` of a text, given that `from` is the point at the offset `start`. */
function pointAt(text: string, end: number, from: Point, start: number): Point {
  let { row, column } = from;
  let at = start;
  for (;;) {
    const lineFeed = text.indexOf('\n', at);
    if (lineFeed < 0 || lineFeed >= end) return { row, column: column + end - at };
    row++;
    column = 0;
    at = lineFeed + 1;
  }
}
