import { t } from '../../../server/protocol/index.js';
import { displayText } from '../next-edit/display-text.js';
import type { PendingHunk } from './pending-hunks.js';

const LONGEST_OLD_LINE = 80;

/** What the editor shows of hunks: new lines in the colour of additions, and behind them the old ones. */
export interface EditDrawing {
  readonly newLines: readonly { readonly start: number; readonly end: number }[];
  readonly oldTexts: readonly { readonly line: number; readonly text: string }[];
}

export function drawEdit(pending: readonly PendingHunk[]): EditDrawing {
  return {
    newLines: pending.filter(({ start, end }) => end > start),
    oldTexts: pending.flatMap(oldTexts),
  };
}

/** Each old line stands behind the new line in its place; the last one says how many more there were. */
function oldTexts({ start, end, oldLines }: PendingHunk): EditDrawing['oldTexts'] {
  const written = oldLines.map((line) => displayText(line.trim(), LONGEST_OLD_LINE));
  // Where lines were only removed, they stand behind the line before them.
  const places = Math.max(1, end - start);
  const first = end > start ? start : Math.max(0, start - 1);
  return written.slice(0, places).flatMap((text, index) => {
    const more = index === places - 1 ? written.length - places : 0;
    const shown = more > 0 ? t('{0} and {1} more lines', text, more) : text;
    return shown === '' ? [] : [{ line: first + index, text: shown }];
  });
}
