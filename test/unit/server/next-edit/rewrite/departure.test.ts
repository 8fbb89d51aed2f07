import { expect, it } from 'vitest';
import { departureOf } from '../../../../../server/src/next-edit/rewrite/departure.js';

const next = (token: number, logProbability: number) => ({ token, logProbability });

it('is the first token that was not offered, with its margin over the next best one', () => {
  const result = {
    tokens: [1, 2, 7, 8],
    logProbabilities: [-0.1, -0.1, -0.5, -0.1],
    runnersUp: [next(9, -3), next(9, -3), next(3, -2), next(9, -3)],
  };
  expect(departureOf(result, [1, 2, 3, 4])).toEqual({ verified: 2, margin: 1.5 });
});

it('is unknown where the answer is what was offered, ends within it, or had no choice', () => {
  const result = { tokens: [1, 2], logProbabilities: [-0.1, -0.1], runnersUp: [next(9, -3), null] };
  expect(departureOf(result, [1, 2])).toBeNull();
  expect(departureOf(result, [1, 2, 3])).toBeNull();
  expect(departureOf(result, [1, 3])).toBeNull();
});
