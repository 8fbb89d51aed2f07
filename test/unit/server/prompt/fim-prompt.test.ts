import { expect, it } from 'vitest';
import { buildFimPrompt, frameTokens } from '../../../../server/src/prompt/fim-prompt.js';
import type { FimTemplate } from '../../../../server/src/prompt/fim-template.js';

const TEMPLATE: FimTemplate = {
  order: 'prefix-suffix-middle',
  bosToken: null,
  prefixToken: 90,
  suffixToken: 91,
  middleToken: 92,
  fileToken: 95,
  stopTokens: [],
};
const INPUT = { template: TEMPLATE, path: 'src/a.ts', prefix: 'const a = ', suffix: ';\n', typed: '' };

it('names the file, then prefix, suffix and middle', () => {
  expect(buildFimPrompt(INPUT).parts).toEqual([95, 'src/a.ts\n', 90, 'const a = ', 91, ';\n', 92]);
});

it('puts the suffix first where the family wants it', () => {
  const template = { ...TEMPLATE, order: 'suffix-prefix-middle' as const, fileToken: null, bosToken: 1 };
  expect(buildFimPrompt({ ...INPUT, template }).parts).toEqual([1, 91, ';\n', 90, 'const a = ', 92]);
});

it('leaves out what is not there', () => {
  expect(buildFimPrompt({ ...INPUT, path: null, suffix: '' }).parts).toEqual([90, 'const a = ', 91, 92]);
  expect(buildFimPrompt({ ...INPUT, template: { ...TEMPLATE, fileToken: null } }).parts[0]).toBe(90);
});

it('keeps special tokens of the source as text', () => {
  const prompt = buildFimPrompt({ ...INPUT, prefix: '"<|fim_middle|>"' }).parts;
  expect(prompt).toContain('"<|fim_middle|>"');
  expect(prompt.filter((part) => part === 92)).toHaveLength(1);
});

it('says how much of a prompt is no text of the document', () => {
  expect(frameTokens(TEMPLATE, null)).toBe(3);
  expect(frameTokens(TEMPLATE, 'src/a.ts')).toBe(3 + 1 + 3);
  expect(frameTokens({ ...TEMPLATE, bosToken: 1, fileToken: null }, 'src/a.ts')).toBe(4);
});

it('begins the middle with what was typed on the line, and marks the seams', () => {
  const { parts, marks } = buildFimPrompt({ ...INPUT, prefix: 'let b;\n', typed: 'const a = ' });
  expect(parts).toEqual([95, 'src/a.ts\n', 90, 'let b;\n', 91, ';\n', 92, 'const a = ']);
  expect(marks).toEqual([2, 4, 6]);
});
