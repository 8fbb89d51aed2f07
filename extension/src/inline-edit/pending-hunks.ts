import type { Hunk } from '../chat/code/line-hunks.js';

/** New lines in a document that the user has not yet kept or taken back. */
export interface PendingHunk {
  readonly id: number;
  /** The first new line, counted from 0. */
  readonly start: number;
  /** The line after the last new one; equal to `start` where lines were only removed. */
  readonly end: number;
  /** The lines that were there before. */
  readonly oldLines: readonly string[];
}

/** A change of a document: the lines of the replaced range, and how many lines the document has more after it. */
export interface LineChange {
  readonly start: number;
  /** The last replaced line that loses or gets characters; one less than `start` where lines are only added above it. */
  readonly end: number;
  readonly growth: number;
  /** Where a line break is written into the line, if the change replaces nothing. */
  readonly breaksAt?: number;
}

interface Place {
  readonly line: number;
  readonly character: number;
}

/** What replacing `range` by `text` means for lines. */
export function changedLines({ start, end }: { readonly start: Place; readonly end: Place }, text: string): LineChange {
  // A line at whose start the range ends stays whole, unless it is joined to what stands before the range.
  const isWhole =
    end.character === 0 && (text === '' ? end.line > start.line && start.character === 0 : text.endsWith('\n'));
  const growth = text.split('\n').length - 1 - (end.line - start.line);
  const isBreak = start.line === end.line && start.character === end.character && /^\r?\n/.test(text);
  return {
    start: start.line,
    end: isWhole ? end.line - 1 : end.line,
    growth,
    ...(isBreak && !isWhole ? { breaksAt: start.character } : {}),
  };
}

/** A line that is broken at its end stays whole: lines are added below it. */
export function belowWholeLine(change: LineChange, textBefore: string): LineChange {
  if (change.breaksAt === undefined) return change;
  let from = 0;
  for (let line = 0; line < change.start; line++) from = textBefore.indexOf('\n', from) + 1;
  const end = textBefore.indexOf('\n', from);
  const length = (end < 0 ? textBefore.length : end) - from;
  return length === change.breaksAt ? { start: change.start + 1, end: change.start, growth: change.growth } : change;
}

/**
 * @param hunks of the old lines, in order and not yet applied
 * @param firstId the id of the first one; the others follow
 */
export function pendingHunks(oldLines: readonly string[], hunks: readonly Hunk[], firstId = 0): PendingHunk[] {
  let growth = 0;
  return hunks.map(({ start, end, lines }, index) => {
    const newStart = start + growth;
    growth += lines.length - (end - start);
    return { id: firstId + index, start: newStart, end: newStart + lines.length, oldLines: oldLines.slice(start, end) };
  });
}

/** The hunks after a change: those after it move, those that it touches are the user's own from now on. */
export function afterChange(pending: readonly PendingHunk[], { start, end, growth }: LineChange): PendingHunk[] {
  return pending.flatMap((hunk) => {
    if (end < hunk.start) return [{ ...hunk, start: hunk.start + growth, end: hunk.end + growth }];
    return start >= hunk.end ? [hunk] : [];
  });
}

/** What takes a hunk back. */
export function reversed({ start, end, oldLines }: PendingHunk): Hunk {
  return { start, end, lines: oldLines };
}
