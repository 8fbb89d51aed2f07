import { expect, it } from 'vitest';
import { cutRepeatedBlocks } from '../../../../../../server/src/completion/postprocess/fit/repeated-blocks.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['  ║', 'again();\n  again();\n  again();', 'again();'],
  ['║', 'first();\nsecond();\nfirst();\nsecond();\nfirst();', 'first();\nsecond();'],
  ['║', 'start();\nfirst();\nsecond();\nfirst();\nsecond();', 'start();\nfirst();\nsecond();'],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(cutRepeatedBlocks(filterInput(document, text))).toBe(expected);
});

it.each(['again();\nagain();', 'a();\n}\n}\n}', 'first();\nsecond();\nfirst();'])('leaves %j alone', (text) => {
  expect(cutRepeatedBlocks(filterInput('║', text))).toBe(text);
});
