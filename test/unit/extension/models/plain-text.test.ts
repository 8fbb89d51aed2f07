import { expect, it } from 'vitest';
import { plainText } from '../../../../extension/src/models/plain-text.js';

it('leaves no link in text from others', () => {
  expect(plainText('model [a](command:evil) (7B)')).toBe('model [a] (command:evil) (7B)');
  expect(plainText('Qwen [7B] (Q8)')).toBe('Qwen [7B] (Q8)');
});
