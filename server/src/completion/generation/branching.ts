import type { GenerationResult } from '../../engine/generation.js';

/** Another way on: the tokens up to a doubtful place, and there the next best one. */
export type Branch = readonly number[];

/** A runner-up that was less likely than this is no alternative, but another mistake. */
const MIN_LOG_PROBABILITY = Math.log(0.04);

/**
 * Where an answer could as well have gone on otherwise: the places whose next best token came closest, closest first.
 * Everything before them is shared with the answer, so a branch costs its own tokens only.
 * @param result of a generation that was asked for its runners-up
 * @param share of the text that is shown, from 0 to 1; behind it nobody would see the difference
 */
export function branchesOf(result: GenerationResult, share: number, count: number): readonly Branch[] {
  const { tokens, logProbabilities, runnersUp } = result;
  const shown = Math.ceil(tokens.length * Math.min(1, share));
  const places = tokens.slice(0, shown).flatMap((_token, index) => {
    const other = runnersUp[index] ?? null;
    if (other === null || other.logProbability < MIN_LOG_PROBABILITY) return [];
    return [{ index, other: other.token, margin: (logProbabilities[index] ?? 0) - other.logProbability }];
  });
  return places
    .sort((left, right) => left.margin - right.margin)
    .slice(0, count)
    .map(({ index, other }) => [...tokens.slice(0, index), other]);
}
