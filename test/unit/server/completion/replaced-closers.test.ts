import { expect, it } from 'vitest';
import { countReplacedClosers } from '../../../../server/src/completion/replaced-closers.js';
import { cursorContext } from '../../../support/cursor-fixture.js';

it.each([
  ['function f(║)', 'a: A): B {', 1],
  ['def f(║)', 'a: list[A]) -> B:', 1],
  ['if (f(║))', 'a) && b', 1],
  ['if (f(║))', 'a)) {', 2],
  ['a[b(║)]', 'c)] = [', 2],
  ['  x║)', 'y) + z', 1],
  ['  x║))', 'y) + z', 1],
])('in %j, %j replaces %i closers', (document, text, count) => {
  expect(countReplacedClosers(text, cursorContext(document))).toBe(count);
});

it.each([
  ['f(║)', 'a, b'],
  ['f(║)', 'g(1), h(2)'],
  ['f(║', 'a) + b'],
  ['f(║, b)', 'a) + c'],
  ['f(g(║)', 'a), b'],
  ['f(║]', 'a) + b'],
  ['if (a) {║}', ' b(c); '],
])('in %j, %j replaces none', (document, text) => {
  expect(countReplacedClosers(text, cursorContext(document))).toBe(0);
});
