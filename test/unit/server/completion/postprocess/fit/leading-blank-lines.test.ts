import { expect, it } from 'vitest';
import { trimLeadingBlankLines } from '../../../../../../server/src/completion/postprocess/fit/leading-blank-lines.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['{\n  ║', '\n  a();', 'a();'],
  ['{\n  ║', '\n \n  a();\n  b();', 'a();\n  b();'],
  ['{║', '\n\n\n  a();', '\n  a();'],
  ['a();\n║', '\n\n', ''],
  ['a();║', '\n  \n', ''],
])('in %j, makes %j %j', (document, text, expected) => {
  expect(trimLeadingBlankLines(filterInput(document, text))).toBe(expected);
});

it.each([
  ['{║', '\n  a();'],
  ['{\n  ║', 'a();\n\n  b();'],
])('in %j, leaves %j alone', (document, text) => {
  expect(trimLeadingBlankLines(filterInput(document, text))).toBe(text);
});
