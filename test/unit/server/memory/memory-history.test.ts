import { expect, it } from 'vitest';
import type { MemorySample, MemorySummary } from '../../../../server/protocol/index.js';
import { MemoryHistory } from '../../../../server/src/memory/memory-history.js';

const HOUR = 3_600_000;
const sampleAt = (at: number): MemorySample => ({ at, memory: {} as MemorySummary });

it('goes on where the clock is set back, without samples that seem to be still to come', () => {
  const history = new MemoryHistory();
  for (const at of [4 * HOUR, 5 * HOUR, 5 * HOUR + 5_000]) history.add(sampleAt(at));
  expect(history.samples.map(({ at }) => at)).toEqual([5 * HOUR]);
  history.add(sampleAt(4.5 * HOUR));
  history.add(sampleAt(4.5 * HOUR + 10_000));
  expect(history.samples.map(({ at }) => at)).toEqual([4.5 * HOUR, 4.5 * HOUR + 10_000]);
});
