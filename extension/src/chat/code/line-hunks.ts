/** Lines of an old text with the lines that replace them. */
export interface Hunk {
  /** The first replaced line, counted from 0. */
  readonly start: number;
  /** The line after the last replaced one; equal to `start` where lines are only added. */
  readonly end: number;
  readonly lines: readonly string[];
}

/** Nobody reads more differences one by one, and the search takes their square. */
const MOST_DIFFERENCES = 1_000;

/** The differences in order. Texts that differ in more than 1,000 lines are one hunk between their equal ends. */
export function lineHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const oldMiddle = before.slice(head, before.length - tail);
  const newMiddle = after.slice(head, after.length - tail);
  if (oldMiddle.length === 0 && newMiddle.length === 0) return [];
  const hunks: Hunk[] = [];
  let [oldAt, newAt] = [0, 0];
  const close = (oldEnd: number, newEnd: number): void => {
    if (oldEnd > oldAt || newEnd > newAt) {
      hunks.push({ start: head + oldAt, end: head + oldEnd, lines: newMiddle.slice(newAt, newEnd) });
    }
  };
  for (const [oldLine, newLine] of equalLines(oldMiddle, newMiddle)) {
    close(oldLine, newLine);
    [oldAt, newAt] = [oldLine + 1, newLine + 1];
  }
  close(oldMiddle.length, newMiddle.length);
  return hunks;
}

/** The text with the hunks in place of what they replace. */
export function withHunks(lines: readonly string[], hunks: readonly Hunk[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    for (; at < hunk.start; at++) result.push(lines[at] ?? '');
    for (const line of hunk.lines) result.push(line);
    at = hunk.end;
  }
  for (; at < lines.length; at++) result.push(lines[at] ?? '');
  return result;
}

/** Pairs of equal lines, as many as possible: Myers' shortest edit script. Empty beyond the limit of differences. */
function equalLines(before: readonly string[], after: readonly string[]): [number, number][] {
  const most = Math.min(MOST_DIFFERENCES, before.length + after.length);
  const steps: Int32Array[] = [];
  // The farthest old line on each diagonal, which is the old line minus the new one.
  let farthest = new Int32Array(3);
  for (let distance = 0; distance <= most; distance++) {
    const reached = new Int32Array(2 * distance + 3);
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let oldAt = startOf(farthest, distance, diagonal);
      while (oldAt < before.length && oldAt - diagonal < after.length && before[oldAt] === after[oldAt - diagonal]) {
        oldAt++;
      }
      reached[diagonal + distance + 1] = oldAt;
      if (oldAt >= before.length && oldAt - diagonal >= after.length) {
        return wayBack(steps, before.length, after.length);
      }
    }
    steps.push(reached);
    farthest = reached;
  }
  return [];
}

/** Where a diagonal begins, one difference after `farthest`, which is of the distance before. */
function startOf(farthest: Int32Array, distance: number, diagonal: number): number {
  if (distance === 0) return 0;
  // The arrays have one place more on both sides; `distance - 1` of them are left of diagonal 0.
  const below = farthest[diagonal - 1 + distance] ?? 0;
  const above = farthest[diagonal + 1 + distance] ?? 0;
  return diagonal === -distance || (diagonal !== distance && below < above) ? above : below + 1;
}

function wayBack(steps: readonly Int32Array[], oldEnd: number, newEnd: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [oldAt, newAt] = [oldEnd, newEnd];
  for (let distance = steps.length; distance >= 0; distance--) {
    const diagonal = oldAt - newAt;
    const start = startOf(steps[distance - 1] ?? new Int32Array(3), distance, diagonal);
    while (oldAt > start) pairs.push([--oldAt, --newAt]);
    if (distance === 0) break;
    const before = steps[distance - 1] ?? new Int32Array(3);
    const below = before[diagonal - 1 + distance] ?? 0;
    const above = before[diagonal + 1 + distance] ?? 0;
    if (diagonal === -distance || (diagonal !== distance && below < above)) newAt--;
    else oldAt--;
  }
  return pairs.reverse();
}
