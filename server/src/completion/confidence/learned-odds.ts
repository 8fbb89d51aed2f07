import { isRecord } from '../../../protocol/index.js';

/**
 * How far this user's outcomes move the gate's odds: who finds more of the suggestions right than the model expects gets
 * more of them. Inkling keeps only sums, and only on this machine. Every function here is pure.
 */
export interface LearnedOdds {
  /** Suggestions whose outcome is known, and how many were right. Older ones count less. */
  readonly known: number;
  readonly right: number;
  /** The sum of their chances by the model alone, and that of their variances. */
  readonly expected: number;
  readonly variance: number;
}

export const NOTHING_LEARNED: LearnedOdds = { known: 0, right: 0, expected: 0, variance: 0 };

/** What each model taught. How far the gate's odds are off is a matter of the model. */
export interface LearnedModels {
  readonly version: 3;
  /** The one that taught last is the last. */
  readonly models: readonly { readonly name: string; readonly learned: LearnedOdds }[];
}

export const NO_MODELS: LearnedModels = { version: 3, models: [] };

/** The models that taught last are kept. A name is cut, since a remote server may send any. */
const MOST_MODELS = 8;
const MOST_NAME_CHARACTERS = 100;

/** The log-odds move by this much at most, whatever is learned: Inkling never hides everything and never shows everything. */
const MOST_SHIFT = 1;

/** The variance of about 80 suggestions: fewer outcomes move the odds by little. */
const PRIOR_VARIANCE = 20;

/** Older outcomes count less beyond this many, so that a new habit is learned. */
const MEMORY = 2000;

/** @param chance by the model alone, from 0 to 1 */
export function withOutcome(learned: LearnedOdds, chance: number, right: boolean): LearnedOdds {
  if (!(chance >= 0 && chance <= 1)) throw new RangeError(`chance must be from 0 to 1, not ${chance}`);
  const fade = learned.known >= MEMORY ? 1 - 1 / MEMORY : 1;
  return {
    known: learned.known * fade + 1,
    right: learned.right * fade + (right ? 1 : 0),
    expected: learned.expected * fade + chance,
    variance: learned.variance * fade + chance * (1 - chance),
  };
}

/** The log-odds to add to the model's, from -1 to 1. */
export function shiftOf({ right, expected, variance }: LearnedOdds): number {
  const shift = (right - expected) / (variance + PRIOR_VARIANCE);
  return Math.max(-MOST_SHIFT, Math.min(MOST_SHIFT, shift));
}

export function learnedOf({ models }: LearnedModels, model: string): LearnedOdds {
  const cut = model.slice(0, MOST_NAME_CHARACTERS);
  return models.find(({ name }) => name === cut)?.learned ?? NOTHING_LEARNED;
}

/** @param chance by the gate's model alone, from 0 to 1 */
export function withModelOutcome(all: LearnedModels, model: string, chance: number, right: boolean): LearnedModels {
  const name = model.slice(0, MOST_NAME_CHARACTERS);
  const others = all.models.filter((each) => each.name !== name).slice(1 - MOST_MODELS);
  return { version: 3, models: [...others, { name, learned: withOutcome(learnedOf(all, name), chance, right) }] };
}

/**
 * Reads what was learned from JSON; null for anything else, and for other versions. What version 2 learned is of any
 * model, and of the suggestions that were right more than of the others.
 */
export function parseLearnedModels(value: unknown): LearnedModels | null {
  if (!isRecord(value) || value.version !== 3 || !Array.isArray(value.models)) return null;
  const models = value.models.slice(-MOST_MODELS).map((each: unknown) => {
    const learned = isRecord(each) ? parseLearnedOdds(each.learned) : null;
    return isRecord(each) && typeof each.name === 'string' && learned !== null ? { name: each.name, learned } : null;
  });
  return models.every((each) => each !== null) ? { version: 3, models } : null;
}

function parseLearnedOdds(value: unknown): LearnedOdds | null {
  if (!isRecord(value)) return null;
  const { known, right, expected, variance } = value;
  if (!isCount(known) || !isCount(right) || !isCount(expected) || !isCount(variance)) return null;
  return right <= known && expected <= known && variance <= known ? { known, right, expected, variance } : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
