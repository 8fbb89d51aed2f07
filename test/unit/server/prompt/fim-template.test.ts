import { expect, it } from 'vitest';
import { type FimModel, fimTemplateFor } from '../../../../server/src/prompt/fim-template.js';

const QWEN: FimModel = {
  name: 'Qwen2.5 Coder 1.5B',
  architecture: 'qwen2',
  fim: { prefix: 90, suffix: 91, middle: 92, pad: 93, repo: 94, fileSep: 95, suffixFirst: false },
  bosToken: 1,
  addBos: false,
  leadingBlank: false,
};

it('reads everything from the vocabulary', () => {
  expect(fimTemplateFor(QWEN)).toEqual({
    order: 'prefix-suffix-middle',
    bosToken: null,
    prefixToken: 90,
    suffixToken: 91,
    middleToken: 92,
    fileToken: 95,
    repositoryToken: 94,
    leadingBlank: false,
    stopTokens: [90, 91, 92, 93, 94, 95],
  });
});

it('begins with the beginning-of-text token if the model wants it', () => {
  expect(fimTemplateFor({ ...QWEN, addBos: true })?.bosToken).toBe(1);
  expect(fimTemplateFor({ ...QWEN, addBos: true, bosToken: null })?.bosToken).toBeNull();
});

it('does without tokens that the vocabulary does not have', () => {
  const starCoder = { ...QWEN, fim: { ...QWEN.fim!, repo: null, fileSep: null } };
  expect(fimTemplateFor(starCoder)).toMatchObject({
    fileToken: null,
    repositoryToken: null,
    stopTokens: [90, 91, 92, 93],
  });
});

it.each(['Mellum 4b Base', 'mellum-4b-sft-python'])('puts the suffix first for %s', (name) => {
  expect(fimTemplateFor({ ...QWEN, name })?.order).toBe('suffix-prefix-middle');
});

it('puts the suffix first for a vocabulary of such a family, whatever its name', () => {
  const seedCoder = { ...QWEN, name: 'Zeta', fim: { ...QWEN.fim!, suffixFirst: true } };
  expect(fimTemplateFor(seedCoder)?.order).toBe('suffix-prefix-middle');
});

it('does without a middle token', () => {
  const codestral = { ...QWEN, leadingBlank: true, fim: { ...QWEN.fim!, middle: null, suffixFirst: true } };
  expect(fimTemplateFor(codestral)).toMatchObject({
    order: 'suffix-prefix-middle',
    middleToken: null,
    leadingBlank: true,
    stopTokens: [90, 91, 93, 94, 95],
  });
});

it('refuses a model that cannot fill in the middle', () => {
  expect(fimTemplateFor({ ...QWEN, fim: null })).toBeNull();
});
