import { describe, expect, it } from 'vitest';
import { formatEstimate, formatFileSize, formatLargerSize } from '../../../../server/protocol/index.js';

describe('sizes', () => {
  it.each([
    [formatFileSize(0), '0 MB'],
    [formatFileSize(12), '1 KB'],
    [formatFileSize(319_600), '320 KB'],
    [formatFileSize(998_700), '999 KB'],
    [formatFileSize(999_400), '1 MB'],
    [formatFileSize(999_600), '1 MB'],
    [formatFileSize(41_600_000), '42 MB'],
    [formatFileSize(999_600_000), '1.0 GB'],
    [formatFileSize(1_640_000_000), '1.6 GB'],
    [formatLargerSize(8_030_000_000, 8_000_000_000), '8.1 GB'],
    [formatLargerSize(8_060_000_000, 8_000_000_000), '8.1 GB'],
    [formatLargerSize(900_200_000, 900_000_000), '901 MB'],
    [formatLargerSize(8_030_000_000, 5_000_000_000), '8.0 GB'],
    [formatEstimate(0), '0 MB'],
    [formatEstimate(181_300_000), '180 MB'],
    [formatEstimate(996_000_000), '1.0 GB'],
    [formatEstimate(1_340_000_000), '1.3 GB'],
    [formatEstimate(9_960_000_000), '10 GB'],
    [formatEstimate(13_900_000_000), '14 GB'],
    [formatEstimate(139_000_000_000), '140 GB'],
  ])('%s', (actual, expected) => {
    expect(actual).toBe(expected);
  });
});
