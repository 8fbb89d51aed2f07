import { expect, it } from 'vitest';
import { trimTrailingWhitespace } from '../../../../../../server/src/completion/postprocess/fit/trailing-whitespace.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['a  ', 'a'],
  ['{  \n  a \n}\n\n', '{\n  a\n}'],
  ['\n  a', '\n  a'],
  ['  a', '  a'],
])('makes %j %j', (text, expected) => {
  expect(trimTrailingWhitespace(filterInput('║', text))).toBe(expected);
});
