import { expect, it } from 'vitest';
import { RateMeter } from '../../../../extension/src/download/rate-meter.js';

it('uses the last seconds only, and starts again with a download', () => {
  const meter = new RateMeter();
  expect(meter.bytesPerSecond(0)).toBeNull();
  meter.add(0, 0);
  meter.add(100, 1000);
  expect(meter.bytesPerSecond(100)).toBeNull();
  meter.add(1000, 10_000);
  expect(meter.bytesPerSecond(1000)).toBe(10_000);
  meter.add(20_000, 10_000);
  meter.add(21_000, 11_000);
  meter.add(26_000, 16_000);
  expect(meter.bytesPerSecond(26_000)).toBe(1000);
  meter.add(27_000, 0);
  expect(meter.bytesPerSecond(27_000)).toBeNull();
});

it('is zero once nothing arrives any more', () => {
  const meter = new RateMeter();
  meter.add(0, 0);
  meter.add(1000, 3e6);
  expect(meter.bytesPerSecond(2900)).toBe(3e6);
  expect(meter.bytesPerSecond(3100)).toBe(0);
  meter.add(4000, 9e6);
  expect(meter.bytesPerSecond(4000)).toBe(2.25e6);
});
