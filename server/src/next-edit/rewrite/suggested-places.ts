import { isWord } from '../repeat/replacement.js';
import { alreadyMade, placesOf } from '../repeat/sites.js';
import { differingTokens, tokensOf } from '../repeat/token-difference.js';

/** Changes made longer ago suggest nothing. */
const MOST_COMPARED_EDITS = 2;
const MOST_PLACES = 64;

/**
 * Where a change of the last edits could be made once more: what was replaced or removed stands there too, or what stood
 * around it does. Without such a place, small models find nothing that is worth showing.
 *
 * @param edits oldest first
 */
export function suggestedPlaces(
  edits: readonly { readonly original: string; readonly updated: string }[],
  text: string,
): readonly number[] {
  const places = edits.slice(-MOST_COMPARED_EDITS).flatMap(({ original, updated }) => {
    const [before, after] = [tokensOf(original), tokensOf(updated)];
    return differingTokens(before, after).flatMap(({ start, end, newStart, newEnd }) => {
      const [from, to] = [before.slice(start, end), after.slice(newStart, newEnd)];
      const again = from.some(isWord)
        ? placesOf(from, text, MOST_PLACES).filter((place) => !alreadyMade(text, place, from, to))
        : [];
      return [...again, ...likeAround(before, start, end, to, text)];
    });
  });
  return [...new Set(places)].sort((one, other) => one - other);
}

/** Whether an edit changed lines that were there before. One that only added lines did not. */
export function changesLines({ original, updated }: { readonly original: string; readonly updated: string }): boolean {
  const lines = original.split('\n');
  const left = new Set(updated.split('\n'));
  return lines.some((line) => line.trim() !== '' && !left.has(line));
}

/** Where the tokens next to a change within a line stand around the same old text. */
function likeAround(
  before: readonly string[],
  start: number,
  end: number,
  to: readonly string[],
  text: string,
): readonly number[] {
  const left = before.slice(0, start).findLastIndex(isVisible);
  const right = end + before.slice(end).findIndex(isVisible);
  if (left < 0 || right < end || ![before[left], before[right]].some((token) => isWord(token ?? ''))) return [];
  const tokens = before.slice(left, right + 1);
  if ([...tokens, ...to].some(isLineEnd)) return [];
  const ahead = before.slice(left, start).join('').length;
  return placesOf(tokens, text, MOST_PLACES).map((place) => place + ahead);
}

function isLineEnd(token: string): boolean {
  return token.startsWith('\n');
}

function isVisible(token: string): boolean {
  return token.trim() !== '';
}
