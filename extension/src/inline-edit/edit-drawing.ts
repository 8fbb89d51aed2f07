import { t } from '../../../server/protocol/index.js';
import { columnsOf, displayText } from '../next-edit/display-text.js';
import type { PendingHunk } from './pending-hunks.js';

/** Beyond this most editors show nothing without scrolling. */
const MOST_COLUMNS = 100;
/** Between a line and the old one after it. */
export const GAP_COLUMNS = 3;

/** What the editor shows of hunks: new lines in the colour of additions, after them the old ones, and all in a hover. */
export interface EditDrawing {
  readonly newLines: readonly { readonly start: number; readonly end: number }[];
  readonly oldTexts: readonly OldText[];
  readonly hovers: readonly HunkHover[];
}

/** What stands after a line. */
export interface OldText {
  readonly line: number;
  /** `line`: an old line. `count`: how many there were, where they have no room. */
  readonly kind: 'line' | 'count';
  readonly text: string;
}

/** Lines at which a hover shows what changed. */
export interface HunkHover {
  readonly first: number;
  /** The last of these lines. */
  readonly last: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** @param lineAt a line of the document; empty after its end */
export function drawEdit(pending: readonly PendingHunk[], lineAt: (line: number) => string): EditDrawing {
  return {
    newLines: pending.filter(({ start, end }) => end > start),
    oldTexts: pending.flatMap((hunk) => oldTexts(hunk, lineAt)),
    hovers: pending.map((hunk) => hoverOf(hunk, lineAt)),
  };
}

/** Where lines were only removed, they are shown at the line before them. */
function firstLine({ start, end }: PendingHunk): number {
  return end > start ? start : Math.max(0, start - 1);
}

/** Each old line stands after the new line in its place, if there is room for all of them. */
function oldTexts(hunk: PendingHunk, lineAt: (line: number) => string): readonly OldText[] {
  const { start, end, oldLines } = hunk;
  const first = firstLine(hunk);
  const written = oldLines.map((line) => displayText(line.trim(), MOST_COLUMNS));
  const texts = written.flatMap((text, index): readonly OldText[] =>
    text === '' ? [] : [{ line: first + index, kind: 'line', text }],
  );
  if (texts.length === 0) return [];
  const hasRoom = ({ line, text }: OldText): boolean =>
    columnsOf(displayText(lineAt(line), MOST_COLUMNS)) + GAP_COLUMNS + columnsOf(text) <= MOST_COLUMNS;
  if (oldLines.length <= Math.max(1, end - start) && texts.every(hasRoom)) return texts;
  const count = oldLines.length === 1 ? t('- 1 line') : t('- {0} lines', oldLines.length);
  return [{ line: first, kind: 'count', text: count }];
}

function hoverOf(hunk: PendingHunk, lineAt: (line: number) => string): HunkHover {
  const { start, end, oldLines } = hunk;
  const first = firstLine(hunk);
  const newLines = Array.from({ length: end - start }, (_, index) => lineAt(start + index));
  return { first, last: Math.max(first, end - 1), oldLines, newLines };
}
