import { nearestOccurrence } from '../chat/code/proposed-change.js';

/** Where lines are in a text that may have changed, nearest to where they were; null if they are no longer there. */
export function placeOfLines(wanted: readonly string[], text: readonly string[], start: number): number | null {
  if (wanted.every((line, index) => text[start + index] === line)) return start;
  // A line break on both sides, so that only whole lines are found.
  const all = `\n${text.join('\n')}\n`;
  const near = text.slice(0, start).join('\n').length + 1;
  const offset = nearestOccurrence(all, `\n${wanted.join('\n')}\n`, near);
  return offset === null ? null : all.slice(0, offset + 1).split('\n').length - 2;
}
