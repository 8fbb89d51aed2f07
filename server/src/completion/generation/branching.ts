import type { GenerationResult } from '../../engine/port/generation.js';

/** The start of an alternative answer: the tokens up to a place of doubt, then the second-best token. */
export type Branch = readonly number[];

/** A less likely second-best token is no alternative but a mistake. */
const MIN_LOG_PROBABILITY = Math.log(0.04);

/**
 * The places where the second-best token came closest, closest first. A branch shares everything before its place with
 * the answer, so it costs only its own tokens.
 *
 * @param result of a generation that returned its runners-up
 * @param share of the text that is shown, from 0 to 1; after it nobody would see the difference
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
