import { expect, it } from 'vitest';
import { sensibleEnds } from '../../../../../server/src/completion/confidence/sensible-ends.js';

it.each([
  ['sum(a, b);', ['sum', 'sum(a', 'sum(a,', 'sum(a, b', 'sum(a, b)', 'sum(a, b);']],
  ['fooBar.baz', ['fooBar', 'fooBar.baz']],
  ['a = b', ['a', 'a = b']],
  ['x);\n  return y', ['x', 'x)', 'x);', 'x);\n  return', 'x);\n  return y']],
  ['größe + 1', ['größe', 'größe + 1']],
  ['', []],
  ['(', ['(']],
])('%j may end behind a word, an argument, a statement or a line', (text, beginnings) => {
  expect(sensibleEnds(text).map((end) => text.slice(0, end))).toEqual(beginnings);
});
