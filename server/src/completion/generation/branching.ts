import type { GenerationResult } from '../../engine/engine.js';

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
  const { tokens, logProbabilities, runnersUp = [], runnerUpLogProbabilities = [] } = result;
  const shown = Math.ceil(tokens.length * Math.min(1, share));
  const places = tokens.slice(0, shown).flatMap((_token, index) => {
    const other = runnersUp[index] ?? -1;
    const likely = (runnerUpLogProbabilities[index] ?? -Infinity) >= MIN_LOG_PROBABILITY;
    const margin = (logProbabilities[index] ?? 0) - (runnerUpLogProbabilities[index] ?? 0);
    return other >= 0 && likely ? [{ index, other, margin }] : [];
  });
  return places
    .sort((left, right) => left.margin - right.margin)
    .slice(0, count)
    .map(({ index, other }) => [...tokens.slice(0, index), other]);
}
