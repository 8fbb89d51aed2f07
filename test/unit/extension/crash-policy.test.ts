import { describe, expect, it } from 'vitest';
import { decideAfterCrash, recentCrashes } from '../../../extension/src/crash-policy.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('decideAfterCrash', () => {
  it.each([
    ['the first crash', [0], { kind: 'restart', delayMs: 250 }],
    ['the second', [0, 2 * SECOND], { kind: 'restart', delayMs: 1_000 }],
    ['the third', [0, 2 * SECOND, 5 * SECOND], { kind: 'restart', delayMs: 4_000 }],
    ['the fourth', [0, 2 * SECOND, 5 * SECOND, 12 * SECOND], { kind: 'restart', delayMs: 10_000 }],
    ['the fifth', [0, 2 * SECOND, 5 * SECOND, 12 * SECOND, 25 * SECOND], { kind: 'giveUp', crashes: 5 }],
    ['a crash after a quiet time', [0, SECOND, 2 * SECOND, 3 * SECOND, 5 * MINUTE], { kind: 'restart', delayMs: 250 }],
    [
      'a crash a minute, for ever',
      [0, 1, 2, 3, 4, 5, 6].map((minute) => minute * MINUTE),
      { kind: 'restart', delayMs: 4_000 },
    ],
    [
      'four within the window after one outside',
      [0, 2 * MINUTE, 2.5 * MINUTE, 2.9 * MINUTE, 3 * MINUTE],
      { kind: 'restart', delayMs: 10_000 },
    ],
  ] as const)('answers %s', (_name, crashTimes, decision) => {
    expect(decideAfterCrash(crashTimes, crashTimes.at(-1) ?? 0)).toEqual(decision);
  });
});

describe('recentCrashes', () => {
  it('forgets crashes after three minutes', () => {
    expect(recentCrashes([0, 1, MINUTE], 3 * MINUTE)).toEqual([1, MINUTE]);
  });
});
