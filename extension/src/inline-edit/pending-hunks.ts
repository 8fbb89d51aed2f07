import { type Hunk, withHunks } from '../chat/code/line-hunks.js';

/** New lines in a document that the user has not yet kept or taken back. */
export interface PendingHunk {
  readonly id: number;
  /** The id of the oldest hunk whose old lines this one has; its own unless it is given. */
  readonly since?: number;
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
 * The hunks that wait once an edit is in the document. One that changes an earlier hunk becomes one with it, and puts back
 * what was there before both.
 *
 * @param lines of the document before the edit
 * @param hunks of the edit, in order
 * @param firstId of the edit's hunks; the others follow
 * @param earlier hunks that waited before it, in order
 */
export function pendingHunks(
  lines: readonly string[],
  hunks: readonly Hunk[],
  firstId = 0,
  earlier: readonly PendingHunk[] = [],
): PendingHunk[] {
  let growth = 0;
  let nextId = firstId;
  return groups(hunks, earlier).flatMap(({ start, end, made, met }) => {
    const part = lines.slice(start, end);
    const within = (hunk: Hunk): Hunk => ({ ...hunk, start: hunk.start - start, end: hunk.end - start });
    const newLines = withHunks(part, made.map(within));
    const oldLines = withHunks(part, met.map(reversed).map(within));
    const newStart = start + growth;
    const place = { start: newStart, end: newStart + newLines.length };
    growth += newLines.length - part.length;
    const [first] = met;
    if (made.length === 0) return met.map((hunk) => ({ ...hunk, ...place }));
    const id = nextId++;
    if (first === undefined) return [{ id, ...place, oldLines }];
    const isBack = oldLines.length === newLines.length && oldLines.every((line, at) => line === newLines[at]);
    return isBack ? [] : [{ id, since: Math.min(...met.map(sinceOf)), ...place, oldLines }];
  });
}

/** The id of the oldest hunk whose old lines this one has. */
export function sinceOf({ id, since = id }: PendingHunk): number {
  return since;
}

/** Hunks of an edit with the earlier ones that they overlap. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly made: readonly Hunk[];
  readonly met: readonly PendingHunk[];
}

function groups(hunks: readonly Hunk[], earlier: readonly PendingHunk[]): readonly Group[] {
  const all: Group[] = [
    ...earlier.map((hunk) => ({ start: hunk.start, end: hunk.end, made: [], met: [hunk] })),
    ...hunks.map((hunk) => ({ start: hunk.start, end: hunk.end, made: [hunk], met: [] })),
  ];
  const joined: Group[] = [];
  for (const next of all.sort((left, right) => left.start - right.start || left.end - right.end)) {
    const last = joined.at(-1);
    const isOneEmptyPlace = last?.start === next.end && last.end === next.end;
    if (last === undefined || (next.start >= last.end && !isOneEmptyPlace)) joined.push(next);
    else {
      const end = Math.max(last.end, next.end);
      joined[joined.length - 1] = {
        ...{ start: last.start, end, made: [...last.made, ...next.made], met: [...last.met, ...next.met] },
      };
    }
  }
  return joined;
}

/** The hunks after a change: those after it move, those that it touches are the user's own from now on. */
export function afterChange(pending: readonly PendingHunk[], { start, end, growth }: LineChange): PendingHunk[] {
  return pending.flatMap((hunk) => {
    if (end < hunk.start) return [{ ...hunk, start: hunk.start + growth, end: hunk.end + growth }];
    return start >= hunk.end ? [hunk] : [];
  });
}

/** What takes hunks back, in order. Those beside one another are one, or their edits would overlap at a document's end. */
export function takingBack(hunks: readonly PendingHunk[]): readonly Hunk[] {
  const joined: Hunk[] = [];
  for (const next of hunks.map(reversed)) {
    const last = joined.at(-1);
    if (last?.end !== next.start) joined.push(next);
    else joined[joined.length - 1] = { start: last.start, end: next.end, lines: [...last.lines, ...next.lines] };
  }
  return joined;
}

/** What takes a hunk back. */
export function reversed({ start, end, oldLines }: PendingHunk): Hunk {
  return { start, end, lines: oldLines };
}
