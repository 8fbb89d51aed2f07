import type { RewriteFormat } from '../formats/rewrite-format.js';
import { differingTokens, tokensOf } from '../repeat/token-difference.js';

/** Some whole lines of a text. Offsets are UTF-16 units of the text with `\n` line ends. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** One-based. */
  readonly firstLine: number;
}

/** More regions take longer than anybody waits. */
export const MOST_REGIONS = 3;
const MOST_NAMES = 4;
/** Shorter names are everywhere. */
const SHORTEST_NAME = 4;
const MOST_PLACES = 64;

/** The lines around an offset, as many as the format's models were trained with; more on one side of a short text. */
export function regionAround(text: string, offset: number, size: RewriteFormat['region']): Region {
  const lines = linesAround(text, offset, size);
  return { ...lines, firstLine: lineNumber(text, lines.start) };
}

function linesAround(text: string, offset: number, size: RewriteFormat['region']): Pick<Region, 'start' | 'end'> {
  const { before, behind } = size;
  const lineStart = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  let start = lineStart;
  let above = 0;
  while (above < before && start > 0) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    above++;
  }
  let end = endOfLine(text, lineStart);
  for (let below = 0; below < behind + (before - above) && end < text.length; below++) end = endOfLine(text, end);
  return { start, end };
}

/**
 * Where the next edit may be: around the last one, then where names that the edits removed or inserted stand elsewhere,
 * the closest first. None overlap.
 *
 * @param offset where the user is; null in another file, where only the names lead to regions
 */
export function candidateRegions(
  text: string,
  offset: number | null,
  edits: readonly { readonly original: string; readonly updated: string }[],
  size: RewriteFormat['region'],
): readonly Region[] {
  const regions = offset === null ? [] : [regionAround(text, offset, size)];
  const near = offset ?? 0;
  const places = namesIn(edits).flatMap((name) => placesOf(name, text));
  places.sort((one, other) => Math.abs(one - near) - Math.abs(other - near));
  for (const place of places) {
    if (regions.length >= MOST_REGIONS) break;
    const lines = linesAround(text, place, size);
    // Lines are counted only where the region is kept: there may be many places in a long text.
    if (regions.every(({ start, end }) => lines.end <= start || lines.start >= end))
      regions.push({ ...lines, firstLine: lineNumber(text, lines.start) });
  }
  return regions;
}

/** Of the last two edits, the longest first. */
function namesIn(edits: readonly { readonly original: string; readonly updated: string }[]): readonly string[] {
  const names = new Set<string>();
  for (const { original, updated } of edits.slice(-2)) {
    const [before, after] = [tokensOf(original), tokensOf(updated)];
    for (const { start, end, newStart, newEnd } of differingTokens(before, after)) {
      for (const token of [...before.slice(start, end), ...after.slice(newStart, newEnd)]) {
        if (token.length >= SHORTEST_NAME && /^[\p{L}_$]/u.test(token)) names.add(token);
      }
    }
  }
  return [...names].sort((one, other) => other.length - one.length).slice(0, MOST_NAMES);
}

function placesOf(name: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(name); at >= 0 && places.length < MOST_PLACES; at = text.indexOf(name, at + name.length)) {
    const around = text.slice(Math.max(0, at - 1), at) + text.slice(at + name.length, at + name.length + 1);
    if (!/[\p{L}\p{N}_$]/u.test(around)) places.push(at);
  }
  return places;
}

/** Behind the line feed of an offset's line, or the end of the text. */
function endOfLine(text: string, offset: number): number {
  const lineFeed = text.indexOf('\n', offset);
  return lineFeed < 0 ? text.length : lineFeed + 1;
}

function lineNumber(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
