import { expect, it } from 'vitest';
import { opensBlock } from '../../../../../server/src/completion/cursor/line-shape.js';

it.each([
  ['ruby', 'def total', true],
  ['ruby', 'def total; end', false],
  ['lua', 'local function total(a)', true],
  ['typescript', 'def total', false],
  // What every object has is no language.
  ['constructor', 'total', false],
  ['toString', 'total', false],
])('in %s, %j opens a block: %s', (languageId, line, opens) => {
  expect(opensBlock(line, languageId)).toBe(opens);
});
