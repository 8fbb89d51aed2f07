import { expect, it } from 'vitest';
import { applyChange, textDifference } from '../../../../server/src/syntax/text-difference.js';

it.each([
  ['abc', 'abXc', { start: 2, end: 2, text: 'X' }],
  ['abc', 'ac', { start: 1, end: 2, text: '' }],
  ['aa', 'aaa', { start: 2, end: 2, text: 'a' }],
  ['', 'x', { start: 0, end: 0, text: 'x' }],
  ['abc', 'xyz', { start: 0, end: 3, text: 'xyz' }],
])('turns %j into %j', (before, after, change) => {
  expect(textDifference(before, after)).toEqual(change);
  expect(applyChange(before, change)).toBe(after);
});

it('finds none between equal texts', () => {
  expect(textDifference('a', 'a')).toBeNull();
});
