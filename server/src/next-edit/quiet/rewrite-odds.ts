import type { Rewrite } from '../rewrite/rewriter.js';
import type { Replaced } from './changed-words.js';

/** What is known of a rewrite, whichever model made it. */
export interface RewriteEvidence {
  /** At the first departure from the old text, in nats. */
  readonly margin: number;
  /** Natural logarithms of the probabilities of the decoded tokens: the least, and their mean. */
  readonly least: number;
  readonly mean: number;
  /** Inserted and removed characters. */
  readonly size: number;
  /** Whether a recent edit made every one of its changes before. */
  readonly repeats: boolean;
}

/** Null where nobody knows how sure the model was. */
export function evidenceOf(
  { departure, decoded }: Pick<Rewrite, 'departure' | 'decoded'>,
  change: readonly Replaced[],
  edits: readonly Replaced[],
): RewriteEvidence | null {
  if (departure === null) return null;
  return {
    margin: departure.margin,
    least: decoded.reduce((least, value) => Math.min(least, value), 0),
    mean: decoded.length === 0 ? 0 : decoded.reduce((sum, value) => sum + value, 0) / decoded.length,
    size: change.reduce((sum, { from, to }) => sum + from.length + to.length, 0),
    repeats: change.every(({ from, to }) => edits.some((edit) => edit.from === from && edit.to === to)),
  };
}

/** The evidence as numbers for a logistic model, in the order of its weights. */
export function featuresOf({ margin, least, mean, size, repeats }: RewriteEvidence): readonly number[] {
  return [
    1,
    Math.min(MOST_MARGIN, margin),
    Math.max(-3, least),
    Math.max(-5, 10 * mean),
    Math.log(1 + size),
    repeats ? 1 : 0,
  ];
}

const MOST_MARGIN = 10;
