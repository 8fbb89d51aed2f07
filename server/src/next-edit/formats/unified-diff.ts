import { differingTokens } from '../repeat/token-difference.js';

/**
 * Both texts as one hunk of a unified diff, without file names.
 *
 * @param firstLine one-based
 */
export function unifiedDiff(original: string, updated: string, firstLine: number): string {
  const [before, after] = [linesOf(original), linesOf(updated)];
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign}${line}\n`);
  const body: string[] = [];
  let shared = 0;
  for (const { start, end, newStart, newEnd } of differingTokens(before, after)) {
    body.push(...signed(' ', before.slice(shared, start)));
    body.push(...signed('-', before.slice(start, end)), ...signed('+', after.slice(newStart, newEnd)));
    shared = end;
  }
  body.push(...signed(' ', before.slice(shared)));
  return `@@ -${firstLine},${before.length} +${firstLine},${after.length} @@\n${body.join('')}`;
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
