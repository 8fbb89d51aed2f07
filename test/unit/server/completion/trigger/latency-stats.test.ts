import { describe, expect, it } from 'vitest';
import { LatencyStats } from '../../../../../server/src/completion/trigger/latency-stats.js';

/** @param works milliseconds of work; the debounce before it is in the latency */
function after(...works: readonly number[]): LatencyStats {
  const stats = new LatencyStats();
  for (const workMs of works) stats.add({ workMs, latencyMs: workMs + 1_000 });
  return stats;
}

const times = (count: number, milliseconds: number) => Array<number>(count).fill(milliseconds);

describe('the debounce', () => {
  it.each([
    ['nothing is known', [], 0],
    ['the first request read a whole prompt', [490], 0],
    ['a few slow requests say nothing yet', times(4, 490), 0],
    ['the engine is slow', times(5, 400), 160],
    ['it is very slow, up to the longest wait', times(12, 5_000), 250],
    ['it answers before the next key', times(12, 59), 0],
    ['half of the last requests were slow', [...times(6, 500), ...times(6, 20)], 0],
    ['most of the last requests were slow', [...times(6, 400), ...times(5, 20)], 160],
    ['the machine became busy', [...times(12, 50), ...times(12, 200)], 80],
    ['a fast engine was slow for a while', [...times(100, 30), ...times(12, 490)], 0],
    ['a fast engine became slow for long', [...times(20, 30), ...times(21, 490)], 196],
  ])('where %s', (_, works, milliseconds) => {
    expect(after(...works).debounce()).toBe(milliseconds);
  });
});

it('percentiles of the latencies are those of the last two hundred requests', () => {
  expect(after().percentile(0.5)).toBeNull();
  const hundred = after(...Array.from({ length: 100 }, (_, index) => index + 1));
  expect([hundred.percentile(0.5), hundred.percentile(0.9)]).toEqual([1_051, 1_091]);
  expect(after(...times(50, 1_000), ...times(200, 10)).percentile(1)).toBe(1_010);
});
