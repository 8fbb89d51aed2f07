import type { Hunk } from './line-hunks.js';

interface Place {
  readonly line: number;
  readonly character: number;
}

/** A change of a document, as editors take it. */
export interface LineEdit {
  readonly start: Place;
  readonly end: Place;
  readonly text: string;
}

/** @param lines of the document; the last one has no line break */
export function hunkEdit({ start, end, lines: written }: Hunk, lines: readonly string[]): LineEdit {
  if (end < lines.length) {
    const text = written.map((line) => `${line}\n`).join('');
    return { start: { line: start, character: 0 }, end: { line: end, character: 0 }, text };
  }
  const last = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  if (start === 0) return { start: { line: 0, character: 0 }, end: last, text: written.join('\n') };
  // The line break before the hunk goes with a removed end of the document.
  const before = { line: start - 1, character: lines[start - 1]?.length ?? 0 };
  return { start: before, end: last, text: written.map((line) => `\n${line}`).join('') };
}
