import { expect, it } from 'vitest';
import { branchesOf } from '../../../../../server/src/completion/generation/branching.js';
import type { GenerationResult } from '../../../../../server/src/engine/port/generation.js';

function resultOf(places: readonly { token: number; p: number; other?: number; otherP?: number }[]) {
  return {
    tokens: places.map(({ token }) => token),
    logProbabilities: places.map(({ p }) => Math.log(p)),
    runnersUp: places.map(({ other, otherP = 1e-9 }) =>
      other === undefined ? null : { token: other, logProbability: Math.log(otherP) },
    ),
  } as unknown as GenerationResult;
}

const DOUBTFUL = resultOf([
  { token: 1, p: 0.9, other: 11, otherP: 0.05 },
  { token: 2, p: 0.4, other: 12, otherP: 0.35 },
  { token: 3, p: 0.97, other: 13, otherP: 0.01 },
  { token: 4, p: 0.5, other: 14, otherP: 0.3 },
]);

it('branches where the next best token came closest, closest first', () => {
  expect(branchesOf(DOUBTFUL, 1, 3)).toEqual([[1, 12], [1, 2, 3, 14], [11]]);
  expect(branchesOf(DOUBTFUL, 1, 1)).toEqual([[1, 12]]);
});

it('branches only within the shown text', () => {
  expect(branchesOf(DOUBTFUL, 0.5, 3)).toEqual([[1, 12], [11]]);
});

it('has no branches without doubt, or without a second-best token', () => {
  expect(branchesOf(resultOf([{ token: 1, p: 1 }]), 1, 3)).toEqual([]);
  expect(branchesOf({ ...DOUBTFUL, runnersUp: [] }, 1, 3)).toEqual([]);
});
