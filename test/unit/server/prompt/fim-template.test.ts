import { expect, it } from 'vitest';
import { type FimModel, fimTemplateFor } from '../../../../server/src/prompt/fim-template.js';

const QWEN: FimModel = {
  name: 'Qwen2.5 Coder 1.5B',
  architecture: 'qwen2',
  fim: { prefix: 90, suffix: 91, middle: 92, pad: 93, repo: 94, fileSep: 95 },
  bosToken: 1,
  addBos: false,
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
    stopTokens: [90, 91, 92, 93, 94, 95],
  });
});

it('begins with the beginning-of-text token if the model wants it', () => {
  expect(fimTemplateFor({ ...QWEN, addBos: true })?.bosToken).toBe(1);
  expect(fimTemplateFor({ ...QWEN, addBos: true, bosToken: null })?.bosToken).toBeNull();
});

it('does without tokens that the vocabulary does not have', () => {
  const starCoder = { ...QWEN, fim: { prefix: 90, suffix: 91, middle: 92, pad: 93, repo: null, fileSep: null } };
  expect(fimTemplateFor(starCoder)).toMatchObject({
    fileToken: null,
    repositoryToken: null,
    stopTokens: [90, 91, 92, 93],
  });
});

it.each(['Mellum 4b Base', 'mellum-4b-sft-python', 'Seed Coder 8B Base', 'seed-coder-8b'])(
  'puts the suffix first for %s',
  (name) => {
    expect(fimTemplateFor({ ...QWEN, name })?.order).toBe('suffix-prefix-middle');
  },
);

it('refuses a model that cannot fill in the middle', () => {
  expect(fimTemplateFor({ ...QWEN, fim: null })).toBeNull();
});
