import { COMPARED_TOKENS, isWord, lengthOf, type Surroundings } from './replacement.js';
import type { Site } from './sites.js';

/** What is known of a place, as numbers for the logistic model below. The order is that of `WEIGHTS`. */
export function featuresOf({ replacement, around }: Site): readonly number[] {
  const { from, to, made, focus, last, left } = replacement;
  const [leftSame, rightSame] = closestOf(made, around);
  return [
    1,
    Math.log(made.length),
    Math.min(3, leftSame),
    Math.min(3, rightSame),
    left > 0 ? 1 : 0,
    Math.log(1 + left),
    Math.min(3, Math.log(lengthOf(from))),
    similarity(from, to),
    Math.log(focus),
    last ? 1 : 0,
    from.some((token) => token.startsWith('\n')) ? 1 : 0,
    to.length > 6 ? 1 : 0,
  ];
}

/** The chance that the user would make the replacement here next. */
export function chanceAt(site: Site): number {
  const sum = featuresOf(site).reduce((total, value, index) => total + value * (WEIGHTS[index] ?? 0), 0);
  return 1 / (1 + Math.exp(-sum));
}

/** How many tokens on each side equal those of the place that is most like this one. */
function closestOf(made: readonly Surroundings[], around: Surroundings): readonly [left: number, right: number] {
  return made.reduce<readonly [number, number]>(
    (best, each) => {
      const same = [commonStart(each.left, around.left), commonStart(each.right, around.right)] as const;
      return same[0] + same[1] > best[0] + best[1] ? same : best;
    },
    [0, 0],
  );
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  let same = 0;
  while (same < COMPARED_TOKENS && same < one.length && one[same] === other[same]) same++;
  return same;
}

/** Share of the longer text that both begin and end with: near 1 for a corrected typo, 0 for another word. */
function similarity(from: readonly string[], to: readonly string[]): number {
  const [one, other] = [from.filter(isWord).join(''), to.filter(isWord).join('')];
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return (start + end) / Math.max(1, one.length, other.length);
}

/**
 * Fitted on 25 November 2026 on 353 places of 400 scenarios from real commits: `npm run --silent bench -- next-edit
 * --part repeats`, field `weights_of_all`. The bench also judges weights of one half on the other half.
 */
const WEIGHTS: readonly number[] = [-3.34, 1.22, 0.19, 0.85, 0.43, -1.64, 0.96, 2.77, -0.86, 1.08, -0.84, -3.16];

/** A place with a lower chance is not shown. */
export const LEAST_CHANCE = 0.75;
