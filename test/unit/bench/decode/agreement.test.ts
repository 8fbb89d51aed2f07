import { describe, expect, it } from 'vitest';
import { firstDifference, shareOfSame } from '../../../bench/decode/agreement.js';

describe('two answers', () => {
  it.each([
    [[], [], null],
    [[1, 2], [1, 2], null],
    [[1, 2, 3], [1, 5, 3], 1],
    [[1, 2], [1, 2, 3], 2],
    [[1, 2], [], 0],
  ])('%j and %j part at %j', (left, right, expected) => {
    expect(firstDifference(left, right)).toBe(expected);
    expect(firstDifference(right, left)).toBe(expected);
  });

  it('are counted where they are the same', () => {
    expect(shareOfSame([])).toBe(0);
    expect(
      shareOfSame([
        [[1], [1]],
        [[1], [2]],
        [[], []],
      ]),
    ).toBe(0.667);
  });
});
