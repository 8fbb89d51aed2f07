import type { RewriteFormat } from '../formats/rewrite-format.js';
import { wordsIn } from '../repeat/sites.js';
import { differingTokens, tokensOf } from '../repeat/token-difference.js';
import { lineAt } from '../text/lines.js';
import { suggestedPlaces } from './suggested-places.js';

/** Some whole lines of a text. Offsets are UTF-16 units of the text with `\n` line ends. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** One-based. */
  readonly firstLine: number;
}

/** Nobody asks for more of one document. */
const MOST_REGIONS = 4;
const MOST_NAMES = 4;
/** Shorter names are everywhere. */
const SHORTEST_NAME = 4;
const MOST_PLACES = 64;

/** The lines around an offset, as many as the format's models were trained with; more on one side of a short text. */
export function linesAround(
  text: string,
  offset: number,
  size: RewriteFormat['region'],
): Pick<Region, 'start' | 'end'> {
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

/** A region, and why the next edit may be there. */
export interface LikelyRegion extends Region {
  /** `repeat`: a change could be made once more; `cursor`: the user is there; `name`: a name of the edits stands there. */
  readonly why: 'repeat' | 'cursor' | 'name';
}

const RANKS: readonly LikelyRegion['why'][] = ['repeat', 'cursor', 'name'];

/**
 * Where the next edit may be, the likeliest first, and of those the closest. None overlap.
 *
 * @param offset where the user is; null in another file
 * @param edits oldest first
 */
export function likelyRegions(
  text: string,
  offset: number | null,
  edits: readonly { readonly original: string; readonly updated: string }[],
  size: RewriteFormat['region'],
): readonly LikelyRegion[] {
  const near = offset ?? 0;
  const byDistance = (one: number, other: number) => Math.abs(one - near) - Math.abs(other - near);
  const repeats = suggestedPlaces(edits, text).map(({ start }) => start);
  const names = namesIn(edits).flatMap((name) => wordsIn(text, name).slice(0, MOST_PLACES));
  const regions: LikelyRegion[] = [];
  const add = (places: readonly number[], why: LikelyRegion['why']) => {
    for (const place of places) {
      if (regions.length >= MOST_REGIONS) return;
      // In a long line with many places, only the first costs a look at the line.
      if (regions.some(({ start, end }) => place >= start && place < end)) continue;
      const lines = linesAround(text, place, size);
      // Lines are counted only where the region is kept: there may be many places in a long text.
      if (regions.some(({ start, end }) => lines.end > start && lines.start < end)) continue;
      const repeatsInside = repeats.some((each) => each >= lines.start && each < lines.end);
      regions.push({ ...lines, firstLine: lineAt(text, lines.start) + 1, why: repeatsInside ? 'repeat' : why });
    }
  };
  // The lines around the user say most, so others are only beside them.
  add(offset === null ? [] : [offset], 'cursor');
  add([...repeats].sort(byDistance), 'repeat');
  add(names.sort(byDistance), 'name');
  return regions.sort((one, other) => byLikelihood(one, other) || byDistance(one.start, other.start));
}

/** Negative where the first one is likelier. */
export function byLikelihood(one: LikelyRegion, other: LikelyRegion): number {
  return RANKS.indexOf(one.why) - RANKS.indexOf(other.why);
}

/** Names that the last two edits changed, the longest first. */
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

/** Behind the line feed of an offset's line, or the end of the text. */
function endOfLine(text: string, offset: number): number {
  const lineFeed = text.indexOf('\n', offset);
  return lineFeed < 0 ? text.length : lineFeed + 1;
}
