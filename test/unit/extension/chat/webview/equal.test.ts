import { expect, it } from 'vitest';
import { isEqual } from '../../../../../extension/src/chat/webview/equal.js';

it.each<[unknown, unknown, boolean]>([
  [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{ a: undefined }, { b: undefined }, false],
  [{ a: null }, { a: {} }, false],
  [null, {}, false],
  ['1', 1, false],
])('%j and %j say the same: %s', (left, right, expected) => {
  expect(isEqual(left, right)).toBe(expected);
  expect(isEqual(right, left)).toBe(expected);
});
