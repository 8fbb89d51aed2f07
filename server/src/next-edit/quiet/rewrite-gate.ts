import type { ModelCard } from '../../engine/port/model-facts.js';
import { featuresOf, type RewriteEvidence } from './rewrite-odds.js';

/** Decides which rewrites of a model are worth showing. */
export interface RewriteGate {
  passes(evidence: RewriteEvidence): boolean;
  /** Whether a departure with this margin can still lead to a rewrite that passes. */
  canPass(margin: number, repeats: boolean): boolean;
  /** Hardly anything passes but a change that the user has made before. */
  readonly onlyRepeats: boolean;
}

/** The least that can be said against a rewrite. */
const BEST: RewriteEvidence = { margin: 0, least: 0, mean: 0, size: 1, repeats: true };

/** A rewrite that is as likely wrong is not shown. */
const LEAST_CHANCE = 0.5;

/** @param weights fitted on the rewrites of one model, in the order of `featuresOf` */
export function fittedGate(weights: readonly number[]): RewriteGate {
  const passes = (evidence: RewriteEvidence) => {
    const sum = featuresOf(evidence).reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
    return 1 / (1 + Math.exp(-sum)) >= LEAST_CHANCE;
  };
  return { passes, canPass: (margin, repeats) => passes({ ...BEST, margin, repeats }), onlyRepeats: true };
}

/** For a model of which no rewrites are known: the departure is sure, and so is every token after it. */
export const PLAIN_GATE: RewriteGate = {
  passes: ({ margin, least }) => margin >= PLAIN_MARGIN && least >= PLAIN_LEAST,
  canPass: (margin) => margin >= PLAIN_MARGIN,
  onlyRepeats: false,
};

/**
 * Weak models show more wrong edits than strong ones, so the starter model's rewrites decided this: 45 of 400 passed, 26
 * of them right, and 99 % of the places where nothing was due stayed silent (24 November 2026, `bench next-edit --part
 * quality`, `plain`).
 */
const PLAIN_MARGIN = 2;
const PLAIN_LEAST = Math.log(0.5);

/**
 * Fitted on 29 November 2026 on the starter model's rewrites of 400 scenarios from real commits: `npm run --silent bench
 * -- next-edit --part quality`, field `weights_of_all`. The bench also judges weights of one half on the other half.
 */
const STARTER_GATE = fittedGate([0.46, 0.12, 0.53, 0.41, -0.4, 1.63]);

/** Weights say nothing of another model than the one that they were fitted on. */
export function gateOf({ isStarter }: Pick<ModelCard, 'isStarter'>): RewriteGate {
  return isStarter ? STARTER_GATE : PLAIN_GATE;
}
