import { expect, it } from 'vitest';
import { dropEmpty } from '../../../../../server/src/completion/postprocess/empty-suggestion.js';
import { cursorContext } from '../../../../support/cursor-fixture.js';

it.each([
  [' \n ', ''],
  ['', ''],
  [' a', ' a'],
  ['é', 'é'],
  ['\n}', '\n}'],
  [');', ');'],
  ['`', ''],
  ['= ', ''],
])('makes %j %j', (text, expected) => {
  expect(dropEmpty({ text, finished: true }, cursorContext('║'))).toBe(expected);
});
