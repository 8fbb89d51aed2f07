import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NextInChain } from '../../../../extension/src/next-edit/next-in-chain.js';

const LONG_MS = 10_000;

let chain: NextInChain;
let ends: string[];

beforeEach(() => {
  vi.useFakeTimers();
  chain = new NextInChain();
  ends = [];
});

afterEach(() => {
  chain.settle();
  vi.useRealTimers();
});

const expectOne = () => chain.expect(() => ends.push(`none, ${chain.isExpected}`));

it('waits for nothing where nothing is expected', async () => {
  await chain.wait();
  expect(chain.isExpected).toBe(false);
});

it('ends all waiting when the next edit is there', async () => {
  expectOne();
  const waiting = Promise.all([chain.wait(), chain.wait()]);
  expect(chain.isExpected).toBe(true);
  chain.settle();
  await waiting;
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect([chain.isExpected, ends]).toEqual([false, []]);
});

it('ends when none comes in time', async () => {
  expectOne();
  const waiting = chain.wait();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await waiting;
  expect(ends).toEqual(['none, false']);
});

it('begins again with the next made edit', async () => {
  expectOne();
  const waiting = chain.wait();
  expectOne();
  await waiting;
  expect(chain.isExpected).toBe(true);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(ends).toHaveLength(1);
});
