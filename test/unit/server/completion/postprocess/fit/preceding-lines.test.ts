import { expect, it } from 'vitest';
import { dropPrecedingLines } from '../../../../../../server/src/completion/postprocess/fit/preceding-lines.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['total();\n║', 'total();'],
  ['  total();\n\n  ║', 'total();'],
  ['first();\nsecond();\n║', 'first();\nsecond();'],
])('in %j, drops %j', (document, text) => {
  expect(dropPrecedingLines(filterInput(document, text))).toBe('');
});

it.each([
  ['total();\n║', 'totals();'],
  ['{\n  {\n  }\n║', '}'],
  ['total();\n║', 'total();\nsum();'],
  ['a = total();\nb = ║', 'total();'],
  ['║', 'total();'],
])('in %j, leaves %j alone', (document, text) => {
  expect(dropPrecedingLines(filterInput(document, text))).toBe(text);
});
