import { expect, it } from 'vitest';
import { describeKeys, keyNorms } from '../../doctor/key-norms.js';

/** Two layers of two heads, two tokens, two dimensions: the norm of each vector is its number, times five. */
const KEYS = {
  layers: [3, 7],
  heads: 2,
  tokens: 2,
  headDim: 2,
  values: Float32Array.from(Array.from({ length: 8 }, (_, index) => [3 * index, 4 * index]).flat()),
};

it('measures each head of each layer', () => {
  expect(keyNorms(KEYS)).toEqual([
    [
      { mean: 2.5, least: 0, most: 5 },
      { mean: 12.5, least: 10, most: 15 },
    ],
    [
      { mean: 22.5, least: 20, most: 25 },
      { mean: 32.5, least: 30, most: 35 },
    ],
  ]);
});

it('prints a row for each layer', () => {
  expect(describeKeys(KEYS).split('\n')).toEqual([
    "Norms of the keys of 2 tokens, 2 dimensions each: means by layer and head, and the layer's range",
    'layer  head 0  head 1  least   most',
    '    3    2.50   12.50   0.00  15.00',
    '    7   22.50   32.50  20.00  35.00',
  ]);
});
