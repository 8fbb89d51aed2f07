import type { GenerationResult } from '../../engine/port/generation.js';

/** Where an answer said something else than it was offered, and how sure the model was of it. */
export interface Departure {
  /** Tokens that were said as they were offered. */
  readonly verified: number;
  /** Natural logarithm of the ratio between the token that was chosen and the next best one. */
  readonly margin: number;
}

/**
 * Null where the answer is the offered text, or ends within it: then nothing says how sure the model was.
 *
 * @param offered the tokens of the offered text
 */
export function departureOf(
  { tokens, logProbabilities, runnersUp }: Pick<GenerationResult, 'tokens' | 'logProbabilities' | 'runnersUp'>,
  offered: readonly number[],
): Departure | null {
  let verified = 0;
  while (verified < tokens.length && tokens[verified] === offered[verified]) verified++;
  const chosen = logProbabilities[verified];
  const next = runnersUp[verified];
  if (chosen === undefined || next === undefined || next === null) return null;
  return { verified, margin: chosen - next.logProbability };
}
