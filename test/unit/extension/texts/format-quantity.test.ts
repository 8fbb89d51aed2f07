import { afterEach, describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatMilliseconds,
  formatParameterCount,
} from '../../../../extension/src/texts/format-quantity.js';
import { setTranslations } from '../../../../server/protocol/index.js';

afterEach(() => setTranslations(null));

describe('quantities', () => {
  it.each([
    [formatParameterCount(120_400), '121K'],
    [formatParameterCount(998_700), '999K'],
    [formatParameterCount(999_400), '1M'],
    [formatParameterCount(55_400_000), '55M'],
    [formatParameterCount(360_000_000), '360M'],
    [formatParameterCount(494_000_000), '0.5B'],
    [formatParameterCount(1_540_000_000), '1.5B'],
    [formatParameterCount(2_990_000_000), '3B'],
    [formatMilliseconds(0.02), '0 ms'],
    [formatMilliseconds(0.42), '0.4 ms'],
    [formatMilliseconds(0.97), '1 ms'],
    [formatMilliseconds(41.6), '42 ms'],
    [formatMilliseconds(999.4), '999 ms'],
    [formatMilliseconds(999.6), '1.0 s'],
    [formatMilliseconds(1_250), '1.3 s'],
    [formatDuration(0.2), '1 s'],
    [formatDuration(58.2), '59 s'],
    [formatDuration(59.2), '1 min'],
    [formatDuration(61), '2 min'],
    [formatDuration(3_540), '59 min'],
    [formatDuration(3_541), '1 h 0 min'],
    [formatDuration(3_601), '1 h 1 min'],
  ])('%s', (actual, expected) => {
    expect(actual).toBe(expected);
  });

  it('have the decimals of the language, but not where they are a part of a name', () => {
    setTranslations({ language: 'de', texts: {} });
    expect(formatMilliseconds(1_250)).toBe('1,3 s');
    expect(formatParameterCount(494_000_000)).toBe('0.5B');
    expect(formatParameterCount(10_000_000_000)).toBe('10B');
  });
});
