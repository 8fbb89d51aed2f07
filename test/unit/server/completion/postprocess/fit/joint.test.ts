import { expect, it } from 'vitest';
import { trimJoint } from '../../../../../../server/src/completion/postprocess/fit/joint.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['const a = ║', ' b;', 'b;'],
  ['const total = ║', 'const total = sum();', 'sum();'],
  ['  const total =║', 'const total = sum();', ' sum();'],
  ['retur║', 'return a;', 'n a;'],
  ['return ║', ' a\n  + b', 'a\n  + b'],
])('in %j, makes %j %j', (document, text, expected) => {
  expect(trimJoint(filterInput(document, text))).toBe(expected);
});

it.each([
  ['const a =║', ' b;'],
  ['  ║', '  a();'],
  ['f("a ║', ' b")'],
  ['if ║', '(a) {'],
  ['const a ║', '  = b;'],
  ['const a   ║', ' = b;'],
  ['a = ║', '\n  b;'],
  ['x = a = ║', 'x = a'],
  ['import ║', 'importlib'],
  ['    return ║', 'return_code'],
  ['return ║', 'returned.length;'],
  ['größe ║', 'größeÄ'],
  ['const ║', 'const1 = 2;'],
])('in %j, leaves %j alone', (document, text) => {
  expect(trimJoint(filterInput(document, text))).toBe(text);
});
