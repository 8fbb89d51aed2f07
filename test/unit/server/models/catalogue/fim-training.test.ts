import { expect, it } from 'vitest';
import { isFimTrained } from '../../../../../server/src/models/catalogue/fim-training.js';

it.each([
  ['Inkling Starter 55M', true],
  ['Qwen2.5-Coder 7B', true],
  ['Qwen2.5 Coder 7B Instruct', false],
  ['qwen2.5-coder-7b-instruct-q4_k_m.gguf', false],
  ['Qwen3-Coder 30B-A3B Instruct', true],
  // Their vocabulary has the tokens.
  ['Qwen3.6 27B', false],
  ['Qwen3 4B Instruct 2507', false],
  ['starcoder2-3b', true],
  ['CodeLlama-7B', true],
  ['codellama-34b', false],
  ['granite-3b-code-base', true],
  ['Codestral-22B-v0.1', true],
  ['Mistral-7B', false],
])('whether %s was trained to fill in the middle: %s', (name, trained) => {
  expect(isFimTrained([name])).toBe(trained);
});

it('looks at no more of a name than models have', () => {
  expect(isFimTrained([`${'x'.repeat(100_000)}starcoder`])).toBe(false);
});
