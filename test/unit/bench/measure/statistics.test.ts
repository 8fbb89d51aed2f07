import { expect, test } from 'vitest';
import { median, round } from '../../../bench/measure/statistics.js';

test.each([
  [[5], 5],
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[10, 9, 100, -1], 9.5],
  [[1, 1, 1, 50], 1],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('the median leaves its argument as it is', () => {
  const values = Object.freeze([3, 1, 2]);
  expect(median(values)).toBe(2);
});

test('nothing has no median', () => {
  expect(() => median([])).toThrow();
});

test.each([
  [1.2345, 2, 1.23],
  [0.999, 1, 1],
  [-1.26, 1, -1.3],
  [1234, 0, 1234],
])('%d rounded to %i digits is %d', (value, digits, expected) => {
  expect(round(value, digits)).toBe(expected);
});
