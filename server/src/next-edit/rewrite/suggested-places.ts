import { isWord } from '../repeat/replacement.js';
import { alreadyMade, placesOf } from '../repeat/sites.js';
import { differingTokens, tokensOf } from '../repeat/token-difference.js';

/** Where a change could begin. Offsets are UTF-16 units. */
export interface SuggestedPlace {
  readonly start: number;
  readonly end: number;
}

/** A stretch of tokens that an edit replaced, in the text before. */
interface Changed {
  readonly before: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly to: readonly string[];
}

/** Changes made longer ago suggest nothing. */
const MOST_COMPARED_EDITS = 2;
const MOST_PLACES = 64;
/** Share of the tokens that two lines must have in common. */
const LEAST_LIKENESS = 0.7;
const LONGEST_LINE = 400;

/**
 * Where a change of the last edits could be made once more: what was replaced or removed stands there too, or what stood
 * around it does, or a line reads like one that got something. Without such a place, small models find nothing that is
 * worth showing: of 39 right rewrites 36 had one, of 150 regions where nothing was due 34 (24 November 2026).
 *
 * @param edits oldest first
 */
export function suggestedPlaces(
  edits: readonly { readonly original: string; readonly updated: string }[],
  text: string,
): readonly SuggestedPlace[] {
  const places = edits.slice(-MOST_COMPARED_EDITS).flatMap(({ original, updated }) => {
    const [before, after] = [tokensOf(original), tokensOf(updated)];
    return differingTokens(before, after).flatMap(({ start, end, newStart, newEnd }) => {
      const changed = { before, start, end, to: after.slice(newStart, newEnd) };
      return [...sameOld(changed, text), ...sameAround(changed, text), ...alikeLines(changed, text)];
    });
  });
  return places.sort((one, other) => one.start - other.start);
}

/** Whether an edit changed lines that were there before. One that only added lines did not. */
export function changesLines({ original, updated }: { readonly original: string; readonly updated: string }): boolean {
  const lines = original.split('\n');
  const left = new Set(updated.split('\n'));
  return lines.some((line) => line.trim() !== '' && !left.has(line));
}

/** Where the old tokens stand. */
function sameOld({ before, start, end, to }: Changed, text: string): readonly SuggestedPlace[] {
  const from = before.slice(start, end);
  if (!from.some(isWord)) return [];
  return placesOf(from, text, MOST_PLACES)
    .filter((place) => !alreadyMade(text, place, from, to))
    .map((place) => ({ start: place, end: place }));
}

/** Where the tokens next to a change within a line stand around the same old tokens. */
function sameAround({ before, start, end, to }: Changed, text: string): readonly SuggestedPlace[] {
  const left = before.slice(0, start).findLastIndex(isVisible);
  const right = end + before.slice(end).findIndex(isVisible);
  if (left < 0 || right < end || ![before[left], before[right]].some((token) => isWord(token ?? ''))) return [];
  const tokens = before.slice(left, right + 1);
  if ([...tokens, ...to].some(isLineEnd)) return [];
  const ahead = before.slice(left, start).join('').length;
  return placesOf(tokens, text, MOST_PLACES).map((place) => ({ start: place + ahead, end: place + ahead }));
}

/** Lines that read like one into which something was inserted, and do not have it yet. */
function alikeLines({ before, start, end, to }: Changed, text: string): readonly SuggestedPlace[] {
  const inserted = to.filter(isWord);
  const from = before.slice(start, end);
  if (from.some(isWord) || inserted.length === 0 || [...from, ...to].some(isLineEnd)) return [];
  const first = before.slice(0, start).findLastIndex(isLineEnd) + 1;
  const behind = before.slice(end).findIndex(isLineEnd);
  const line = before.slice(first, behind < 0 ? before.length : end + behind).filter(isVisible);
  const [longest, second] = line.filter(isWord).sort((one, other) => other.length - one.length);
  if (longest === undefined || second === undefined) return [];
  // Most lines that are alike share the longest word, or else the next one.
  const found = new Map<number, SuggestedPlace>();
  for (const place of [longest, second].flatMap((word) => placesOf([word], text, MOST_PLACES))) {
    const lineStart = place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1;
    const lineFeed = text.indexOf('\n', place);
    const lineEnd = lineFeed < 0 ? text.length : lineFeed;
    if (found.has(lineStart) || lineEnd - lineStart > LONGEST_LINE) continue;
    const tokens = tokensOf(text.slice(lineStart, lineEnd)).filter(isVisible);
    if (inserted.every((word) => tokens.includes(word)) || likenessOf(line, tokens) < LEAST_LIKENESS) continue;
    found.set(lineStart, { start: lineStart, end: lineEnd });
  }
  return [...found.values()];
}

/** Tokens that both have, each as often as the rarer side, over those of the longer side. */
function likenessOf(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const token of one) left.set(token, (left.get(token) ?? 0) + 1);
  let same = 0;
  for (const token of other) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    same++;
  }
  return same / Math.max(1, one.length, other.length);
}

function isLineEnd(token: string): boolean {
  return token.startsWith('\n');
}

function isVisible(token: string): boolean {
  return token.trim() !== '';
}
