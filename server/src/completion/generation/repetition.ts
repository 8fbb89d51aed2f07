import { isDistinctive } from '../cursor/line-shape.js';

const MAX_CYCLE_LINES = 4;
/** `repeatedLines` reads only so many lines at the end. */
export const LONGEST_REPETITION = 2 * MAX_CYCLE_LINES;
/** A loop within a line must fill this many characters to count. */
const MIN_LOOP_LENGTH = 40;
const MAX_LOOP_PERIOD = 24;

/**
 * Whether the last lines of a text repeat the lines before them: three equal lines, or the same two to four lines
 * twice.
 *
 * @returns how many of the last lines are the repetition, or 0
 */
export function repeatedLines(lines: readonly string[]): number {
  for (let cycle = 1; cycle <= MAX_CYCLE_LINES; cycle++) {
    const times = cycle === 1 ? 3 : 2;
    const count = cycle * times;
    if (lines.length < count) continue;
    const last = lines.slice(-count).map((line) => line.trim());
    const repeats = last.every((line, index) => index < cycle || line === last[index - cycle]);
    if (repeats && last.some(isDistinctive)) return count - cycle;
  }
  return 0;
}

/** Whether a line ends with the same few characters again and again. A line of dashes is no loop. */
export function isLooping(line: string): boolean {
  for (let period = 1; period <= MAX_LOOP_PERIOD; period++) {
    const needed = Math.max(MIN_LOOP_LENGTH, period * 4);
    if (line.length < needed) return false;
    let length = period;
    while (length < needed && line[line.length - 1 - length] === line[line.length - 1 - length + period]) length++;
    if (length >= needed && /[\p{L}\p{N}]/u.test(line.slice(-period))) return true;
  }
  return false;
}
