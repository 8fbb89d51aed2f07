import { expect, it } from 'vitest';
import { trimTrailingWhitespace } from '../../../../../server/src/completion/postprocess/trailing-whitespace.js';
import { cursorContext } from '../../../../support/cursor-fixture.js';

it.each([
  ['a  ', 'a'],
  ['{  \n  a \n}\n\n', '{\n  a\n}'],
  ['\n  a', '\n  a'],
  ['  a', '  a'],
])('makes %j %j', (text, expected) => {
  expect(trimTrailingWhitespace({ text, finished: true }, cursorContext('║'))).toBe(expected);
});
