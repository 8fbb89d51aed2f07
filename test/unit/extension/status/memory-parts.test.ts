import { describe, expect, it } from 'vitest';
import { memoryMatters } from '../../../../extension/src/status/memory-parts.js';
import { SERVING_MEMORY } from './status-fixture.js';

describe('memoryMatters', () => {
  const BUDGET = 10e9;
  const at = (share: number) => ({ ...SERVING_MEMORY, budgetBytes: BUDGET, inUseBytes: share * BUDGET });

  it.each([
    [0.69, false, false],
    [0.7, false, true],
    [1.2, false, true],
    // What is visible stays until the use is clearly lower.
    [0.66, true, true],
    [0.64, true, false],
  ])('is, at %s of the budget and visible %s, %s', (share, shown, expected) => {
    expect(memoryMatters(at(share), shown)).toBe(expected);
  });

  it('holds where all windows need more than the machine has', () => {
    expect(memoryMatters({ ...at(0.1), windowCount: 3, windowBytes: 17e9 }, false)).toBe(true);
  });
});
