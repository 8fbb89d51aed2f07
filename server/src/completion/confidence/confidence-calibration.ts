/**
 * How confident a suggestion must be to be shown, learned from which shown suggestions the user accepted. Inkling keeps
 * only numbers, and only on this machine. Every function here is pure.
 */
export interface ConfidenceCalibration {
  readonly version: 1;
  /** By mean log-probability, from the least to the most confident bin: how many were shown, and how many accepted. */
  readonly bins: readonly ConfidenceBin[];
}

export interface ConfidenceBin {
  readonly shown: number;
  readonly accepted: number;
}

/** Upper edges of all bins but the last, as natural logarithms of a token's mean probability. */
const EDGES = [-3, -2.4, -1.9, -1.5, -1.2, -0.9, -0.65, -0.45, -0.3, -0.15] as const;

/**
 * Assumed acceptance of each bin before anything is known, with the weight of `PRIOR_WEIGHT` suggestions. It makes -1.9
 * the threshold of a new installation: a geometric mean of 15 % a token.
 */
const PRIOR_ACCEPTANCE = [0.02, 0.04, 0.07, 0.12, 0.16, 0.2, 0.25, 0.3, 0.35, 0.42, 0.5] as const;
const PRIOR_WEIGHT = 40;

/** A suggestion that is accepted less often than this is a distraction. */
const WORTHWHILE_ACCEPTANCE = 0.1;
/** Limits of the threshold whatever is learned: Inkling never hides everything and never shows everything. */
const LOWEST_EDGE = -3;
const HIGHEST_EDGE = -0.65;

/** One surprising token, such as a name, does not hide the whole suggestion. */
const LEAST_LOG_PROBABILITY = -4;

/** Older outcomes count less beyond this many, so that a new model or habit is learned. */
const MEMORY = 2000;

export const NOTHING_LEARNED: ConfidenceCalibration = {
  version: 1,
  bins: PRIOR_ACCEPTANCE.map(() => ({ shown: 0, accepted: 0 })),
};

/** The model's confidence in the tokens that it generated. */
export interface TokenConfidence {
  /** Natural logarithms of the probability of each generated token, in order. */
  readonly logProbabilities: readonly number[];
  /**
   * How many of the first tokens had to write text that is already typed. Their probability measures what the user was
   * likely to type, not the suggestion.
   */
  readonly healedTokens: number;
  /** UTF-16 units that the tokens wrote; a suggestion may show only their beginning. */
  readonly generatedLength: number;
}

/**
 * The mean log-probability of the shown tokens; null without any. No token counts for less than
 * `LEAST_LOG_PROBABILITY`. The share of the generated text that is shown gives an estimate of which tokens are shown.
 *
 * @param shownLength in UTF-16 units
 */
export function meanLogProbability(
  { logProbabilities, healedTokens, generatedLength }: TokenConfidence,
  shownLength: number,
): number | null {
  const share = generatedLength <= 0 ? 1 : Math.min(1, shownLength / generatedLength);
  const shown = logProbabilities.slice(healedTokens, Math.max(1, Math.ceil(logProbabilities.length * share)));
  if (shown.length === 0) return null;
  const mean = shown.reduce((sum, value) => sum + Math.max(LEAST_LOG_PROBABILITY, value), 0) / shown.length;
  // A remote server may send anything.
  return Number.isFinite(mean) ? mean : null;
}

/** @param mean log-probability of a suggestion that was shown */
export function withOutcome({ bins }: ConfidenceCalibration, mean: number, accepted: boolean): ConfidenceCalibration {
  if (!Number.isFinite(mean)) throw new RangeError(`mean must be a finite number, not ${mean}`);
  const edge = EDGES.findIndex((upper) => mean < upper);
  const index = edge < 0 ? EDGES.length : edge;
  const total = bins.reduce((sum, { shown }) => sum + shown, 0);
  const fade = total >= MEMORY ? 1 - 1 / MEMORY : 1;
  const learned = bins.map((bin, at) => ({
    shown: bin.shown * fade + (at === index ? 1 : 0),
    accepted: bin.accepted * fade + (at === index && accepted ? 1 : 0),
  }));
  return { version: 1, bins: learned };
}

/** The least mean log-probability that is worth showing. */
export function thresholdOf({ bins }: ConfidenceCalibration): number {
  const acceptance = increasing(
    bins.map(({ shown, accepted }, index) => ({
      weight: shown + PRIOR_WEIGHT,
      value: (accepted + (PRIOR_ACCEPTANCE[index] ?? 0) * PRIOR_WEIGHT) / (shown + PRIOR_WEIGHT),
    })),
  );
  const first = acceptance.findIndex((value) => value >= WORTHWHILE_ACCEPTANCE);
  const lowerEdge = first < 0 ? HIGHEST_EDGE : (EDGES[first - 1] ?? LOWEST_EDGE);
  return Math.min(HIGHEST_EDGE, Math.max(LOWEST_EDGE, lowerEdge));
}

/** Reads a calibration from JSON; null for anything else, and for other versions. */
export function parseCalibration(value: unknown): ConfidenceCalibration | null {
  if (typeof value !== 'object' || value === null) return null;
  const { version, bins } = value as { readonly version?: unknown; readonly bins?: unknown };
  if (version !== 1 || !Array.isArray(bins) || bins.length !== PRIOR_ACCEPTANCE.length) return null;
  const parsed = bins.map(parseBin);
  return parsed.every((bin) => bin !== null) ? { version: 1, bins: parsed } : null;
}

function parseBin(value: unknown): ConfidenceBin | null {
  if (typeof value !== 'object' || value === null) return null;
  const { shown, accepted } = value as { readonly shown?: unknown; readonly accepted?: unknown };
  if (typeof shown !== 'number' || typeof accepted !== 'number') return null;
  return Number.isFinite(shown) && accepted >= 0 && accepted <= shown ? { shown, accepted } : null;
}

/** The closest non-decreasing sequence: neighbours in the wrong order share their mean. */
function increasing(points: readonly { readonly weight: number; readonly value: number }[]): readonly number[] {
  const blocks: { weight: number; value: number; count: number }[] = [];
  for (const { weight, value } of points) {
    let block = { weight, value, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.value > block.value; last = blocks.at(-1)) {
      blocks.pop();
      const sum = last.weight + block.weight;
      const mean = (last.value * last.weight + block.value * block.weight) / sum;
      block = { weight: sum, value: mean, count: last.count + block.count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ value, count }) => Array.from({ length: count }, () => value));
}
