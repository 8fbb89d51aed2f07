import { expect, it } from 'vitest';
import { snoozeEnd, snoozeLeft } from '../../../../extension/src/suggestions/snooze-time.js';

const MINUTE = 60_000;
const START = { wall: 1_000_000_000_000, steady: 5_000 };
const end = snoozeEnd(15, START);

it.each([
  ['at the start', 0, 0, 15],
  ['a little later', 5, 5, 10],
  ['when it is over', 15, 15, 0],
  ['after the machine slept, with its steady clock, past the end', 60, 1, 0],
  ['after the machine slept for a part of the time', 10, 2, 5],
  ['when the clock was set forward past the end', 24 * 60, 3, 0],
  ['when the clock was set back', -24 * 60, 3, 12],
  ['when the clock was set back and the time is over', -24 * 60, 15, 0],
])('%s: %d minutes by the wall clock, %d by the steady one, %d left', (_when, wall, steady, left) => {
  const now = { wall: START.wall + wall * MINUTE, steady: START.steady + steady * MINUTE };
  expect(snoozeLeft(end, now)).toBe(left * MINUTE);
});
