import { expect, it } from 'vitest';
import { placeOfLetters } from '../../../../../extension/src/chat/webview/letters.js';

it.each([
  ['cart.ts', 'ca', 'start'],
  ['cart.ts', 'rt', 'within'],
  ['cart.ts', 'cts', 'apart'],
  ['cart.ts', 'tc', null],
  ['cart.ts', '', 'start'],
  ['a😀b', '😀b', 'within'],
  ['', 'a', null],
] as const)('in %j, the letters %j stand at: %s', (name, letters, place) => {
  expect(placeOfLetters(name, letters)).toBe(place);
});
