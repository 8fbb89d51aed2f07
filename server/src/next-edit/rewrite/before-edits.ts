import { smallestChange } from '../../util/smallest-change.js';
import type { RecentEdit } from '../formats/rewrite-format.js';

/**
 * Some whole lines of a text as they were before the recent edits. An edit whose text is no longer there is left out.
 *
 * @param edits of this text, oldest first
 */
export function beforeEdits(
  text: string,
  start: number,
  end: number,
  edits: readonly Pick<RecentEdit, 'original' | 'updated'>[],
): string {
  let [before, from, to] = [text, start, end];
  for (const { original, updated } of [...edits].reverse()) {
    const change = smallestChange(updated, original);
    const place = change === null ? -1 : nearest(before, updated, from);
    if (change === null || place < 0) continue;
    const [changeStart, changeEnd] = [place + change.start, place + change.end];
    const growth = change.newText.length - (changeEnd - changeStart);
    before = before.slice(0, changeStart) + change.newText + before.slice(changeEnd);
    if (changeEnd <= from) from += growth;
    else if (changeStart < from) from = changeStart;
    if (changeStart <= to) to = Math.max(from, changeEnd <= to ? to + growth : changeStart + change.newText.length);
  }
  const lineStart = from === 0 ? 0 : before.lastIndexOf('\n', from - 1) + 1;
  const wholeLines = to === 0 || before[to - 1] === '\n' ? to : before.indexOf('\n', to) + 1;
  return before.slice(lineStart, wholeLines === 0 ? undefined : wholeLines);
}

/** The occurrence closest to an offset, among the first ones; -1 without any. */
function nearest(text: string, wanted: string, offset: number): number {
  const MOST_OCCURRENCES = 64;
  let best = -1;
  let at = text.indexOf(wanted);
  for (let seen = 0; at >= 0 && seen < MOST_OCCURRENCES; seen++) {
    if (best < 0 || Math.abs(at - offset) < Math.abs(best - offset)) best = at;
    at = text.indexOf(wanted, at + Math.max(1, wanted.length));
  }
  return best;
}
