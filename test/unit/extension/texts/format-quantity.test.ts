import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatMilliseconds,
  formatParameterCount,
} from '../../../../extension/src/texts/format-quantity.js';

describe('quantities', () => {
  it.each([
    [formatParameterCount(120_400), '121K'],
    [formatParameterCount(55_400_000), '55M'],
    [formatParameterCount(360_000_000), '360M'],
    [formatParameterCount(494_000_000), '0.5B'],
    [formatParameterCount(1_540_000_000), '1.5B'],
    [formatParameterCount(2_990_000_000), '3B'],
    [formatMilliseconds(0.02), '0 ms'],
    [formatMilliseconds(0.42), '0.4 ms'],
    [formatMilliseconds(41.6), '42 ms'],
    [formatMilliseconds(1_250), '1.3 s'],
    [formatDuration(0.2), '1 s'],
    [formatDuration(61), '2 min'],
    [formatDuration(3_540), '59 min'],
    [formatDuration(3_601), '1 h 1 min'],
  ])('%s', (actual, expected) => {
    expect(actual).toBe(expected);
  });
});
