import type { EditedLines } from './context-source.js';

/** Ranges at most this many lines apart are one. */
const JOIN_DISTANCE = 3;
const KEPT_STRETCHES = 8;
/** Larger changes come from formatters, merges and branches, not from typing. */
const MAXIMUM_CHANGED_LINES = 60;

/**
 * The edited ranges after one more change: moved, and extended by the difference between two states of the file. The
 * difference is what lies between their common start and their common end.
 */
export function followEdits(
  edits: readonly EditedLines[],
  before: readonly string[],
  after: readonly string[],
  time: number,
): readonly EditedLines[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  if (start === before.length && start === after.length) return edits;
  let same = 0;
  const limit = Math.min(before.length, after.length) - start;
  while (same < limit && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  const oldEnd = before.length - same;
  const newEnd = after.length - same;

  const moved = edits.flatMap((edit): EditedLines[] => {
    if (edit.end <= start) return [edit];
    if (edit.start >= oldEnd)
      return [{ ...edit, start: edit.start + newEnd - oldEnd, end: edit.end + newEnd - oldEnd }];
    // The change overlaps this range: the rest of it joins the new one.
    return [{ ...edit, start: Math.min(edit.start, start), end: Math.max(newEnd, edit.end + newEnd - oldEnd) }];
  });
  if (newEnd - start > MAXIMUM_CHANGED_LINES) return moved;
  let joined: EditedLines = { start, end: Math.max(newEnd, start + 1), time };
  const others: EditedLines[] = [];
  for (const edit of moved) {
    const near = edit.start <= joined.end + JOIN_DISTANCE && joined.start <= edit.end + JOIN_DISTANCE;
    if (near) joined = { start: Math.min(joined.start, edit.start), end: Math.max(joined.end, edit.end), time };
    else others.push(edit);
  }
  return [...others, joined].slice(-KEPT_STRETCHES);
}
