import type { RewriteQuestion } from '../formats/rewrite-format.js';
import type { DepartureGate } from '../rewrite/rewriter.js';
import { suggestedPlaces } from '../rewrite/suggested-places.js';
import type { RewriteGate } from './rewrite-gate.js';

/** A departure so close to a place may be a repeated change there: a token begins before what it changes. */
const NEAR_CHARACTERS = 16;

/** Which departures from a region can lead to a rewrite that passes the model's gate. */
export function departureGate(
  gate: RewriteGate,
  { current, edits }: Pick<RewriteQuestion, 'current' | 'edits'>,
): DepartureGate {
  const places = suggestedPlaces(edits, current);
  const mayRepeat = (said: number) =>
    places.some(({ start, end }) => said >= start - NEAR_CHARACTERS && said <= end + NEAR_CHARACTERS);
  return (margin, said) => gate.canPass(margin, said === null || mayRepeat(said));
}
