/**
 * How far this user's outcomes move the gate's odds: who finds more of the suggestions right than the model expects gets
 * more of them. Inkling keeps only sums, and only on this machine. Every function here is pure.
 */
export interface LearnedOdds {
  readonly version: 2;
  /** Suggestions whose outcome is known, and how many were right. Older ones count less. */
  readonly known: number;
  readonly right: number;
  /** The sum of their chances by the model alone, and that of their variances. */
  readonly expected: number;
  readonly variance: number;
}

export const NOTHING_LEARNED: LearnedOdds = { version: 2, known: 0, right: 0, expected: 0, variance: 0 };

/** The log-odds move by this much at most, whatever is learned: Inkling never hides everything and never shows everything. */
const MOST_SHIFT = 1;

/** The variance of about 80 suggestions: fewer outcomes move the odds by little. */
const PRIOR_VARIANCE = 20;

/** Older outcomes count less beyond this many, so that a new model or habit is learned. */
const MEMORY = 2000;

/** @param chance by the model alone, from 0 to 1 */
export function withOutcome(learned: LearnedOdds, chance: number, right: boolean): LearnedOdds {
  if (!(chance >= 0 && chance <= 1)) throw new RangeError(`chance must be from 0 to 1, not ${chance}`);
  const fade = learned.known >= MEMORY ? 1 - 1 / MEMORY : 1;
  return {
    version: 2,
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

/** Reads what was learned from JSON; null for anything else, and for other versions. */
export function parseLearnedOdds(value: unknown): LearnedOdds | null {
  if (typeof value !== 'object' || value === null) return null;
  const { version, known, right, expected, variance } = value as Readonly<Record<string, unknown>>;
  if (version !== 2 || !isCount(known) || !isCount(right) || !isCount(expected) || !isCount(variance)) return null;
  return right <= known && expected <= known && variance <= known
    ? { version: 2, known, right, expected, variance }
    : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
