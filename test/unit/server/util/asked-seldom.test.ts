import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askedSeldom } from '../../../../server/src/util/asked-seldom.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('an answer holds for its time', async () => {
  const ask = vi.fn(() => Promise.resolve(ask.mock.calls.length));
  const seldom = askedSeldom(ask, 1_000);
  expect(await Promise.all([seldom(), seldom()])).toEqual([1, 1]);
  vi.advanceTimersByTime(999);
  expect(await seldom()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await seldom()).toBe(2);
});

test('a failure is told once, and not kept', async () => {
  const ask = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('no')).mockResolvedValue('yes');
  const seldom = askedSeldom(ask, 1_000);
  await expect(seldom()).rejects.toThrow('no');
  expect(await seldom()).toBe('yes');
});
