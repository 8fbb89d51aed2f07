import { expect, it } from 'vitest';
import { dropTooLittle } from '../../../../../../server/src/completion/postprocess/judge/minimum-content.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  [' \n ', ''],
  ['', ''],
  [' a', ' a'],
  ['é', 'é'],
  ['\n}', '\n}'],
  [');', ');'],
  ['`', ''],
  ['= ', ''],
  ['/**', ''],
  ['// ', ''],
  ["',", "',"],
  [' =>', ' =>'],
  [' */', ' */'],
])('makes %j %j', (text, expected) => {
  expect(dropTooLittle(filterInput('║', text))).toBe(expected);
});
