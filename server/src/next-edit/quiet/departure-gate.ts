import type { RewriteQuestion } from '../formats/rewrite-format.js';
import type { DepartureGate } from '../rewrite/rewriter.js';
import { suggestedPlaces } from '../rewrite/suggested-places.js';
import type { RewriteGate } from './rewrite-gate.js';

/** A departure so close to a place may be a repeated change there: a token begins before what it changes. */
const NEAR_CHARACTERS = 16;

/**
 * Which departures from a region can lead to a rewrite that passes the model's gate. Where hardly anything passes but
 * repeated changes, lines after the last place for one are not looked at: half of the lines where nothing is due (25
 * November 2026, 34 such regions of 150 with a place).
 */
export function departureGate(
  gate: RewriteGate,
  { current, edits }: Pick<RewriteQuestion, 'current' | 'edits'>,
): DepartureGate {
  const places = suggestedPlaces(edits, current);
  const mayRepeat = (said: number) =>
    places.some(({ start, end }) => said >= start - NEAR_CHARACTERS && said <= end + NEAR_CHARACTERS);
  const last = places.reduce((most, { end }) => Math.max(most, end), 0);
  return {
    canPass: (margin, said) => gate.canPass(margin, said === null || mayRepeat(said)),
    end: gate.onlyRepeats && places.length > 0 ? last + NEAR_CHARACTERS : null,
  };
}
