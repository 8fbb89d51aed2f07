import type { EditedText } from './replacement.js';

/**
 * Where a text that an edit left stands in the document as it is now: in a line that still begins as the edit left it, up
 * to the end of that text, the closest one to where it was. Null where there is none. Work grows with the document.
 *
 * @param start of the text in the edit's new text
 */
export function presentOffset(
  { updated, line }: EditedText,
  start: number,
  end: number,
  document: string,
): number | null {
  const lineStart = start === 0 ? 0 : updated.lastIndexOf('\n', start - 1) + 1;
  const head = updated.slice(lineStart, end);
  const wanted = (line ?? 1) + countLines(updated, 0, lineStart);
  let best: { readonly start: number; readonly distance: number } | null = null;
  let [number, counted] = [1, 0];
  for (
    let at = document.startsWith(head) ? 0 : nextLine(document, head, 0);
    at >= 0;
    at = nextLine(document, head, at)
  ) {
    if (/^[\p{L}\p{N}_$]/u.test(document.slice(at + head.length, at + head.length + 2))) continue;
    number += countLines(document, counted, at);
    counted = at;
    const distance = Math.abs(number - wanted);
    if (best === null || distance < best.distance) best = { start: at, distance };
  }
  return best === null ? null : best.start + start - lineStart;
}

/** The start of the next line that begins with a text; -1 without one. */
function nextLine(document: string, head: string, from: number): number {
  const lineFeed = document.indexOf(`\n${head}`, from);
  return lineFeed < 0 ? -1 : lineFeed + 1;
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
