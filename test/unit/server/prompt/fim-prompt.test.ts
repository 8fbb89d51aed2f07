import { describe, expect, it } from 'vitest';
import { type ContextBlock, EMPTY_CONTEXT } from '../../../../server/src/prompt/context-block.js';
import { contextTokens } from '../../../../server/src/prompt/context-text.js';
import { buildFimPrompt, frameTokens } from '../../../../server/src/prompt/fim-prompt.js';
import type { FimTemplate } from '../../../../server/src/prompt/fim-template.js';

const TEMPLATE: FimTemplate = {
  order: 'prefix-suffix-middle',
  bosToken: null,
  prefixToken: 90,
  suffixToken: 91,
  middleToken: 92,
  fileToken: 95,
  repositoryToken: 94,
  leadingBlank: false,
  stopTokens: [],
};
const NOTHING_TYPED = { settled: '', typed: '' };
const INPUT = {
  template: TEMPLATE,
  path: 'src/a.ts',
  context: EMPTY_CONTEXT,
  prefix: 'const a = ',
  suffix: ';\n',
  middle: NOTHING_TYPED,
};

const CONTEXT: ContextBlock = {
  repository: 'shop',
  languageId: 'typescript',
  snippets: [
    { path: 'src/b.ts', text: 'export const b = 1;\n', why: 'openFile' },
    { path: 'src/b.ts', text: 'export const c = 2;\n', why: 'openFile' },
    { path: 'src/d.ts', text: '"<|fim_middle|>";\n', why: 'recentEdit' },
  ],
};

it('names the file, then prefix, suffix and middle', () => {
  expect(buildFimPrompt(INPUT).parts).toEqual([95, 'src/a.ts\n', 90, 'const a = ', 91, ';\n', 92]);
});

it('puts the suffix first for families trained that way', () => {
  const template = { ...TEMPLATE, order: 'suffix-prefix-middle' as const, fileToken: null, bosToken: 1 };
  expect(buildFimPrompt({ ...INPUT, template }).parts).toEqual([1, 91, ';\n', 90, 'const a = ', 92]);
});

it('lets the middle follow the prefix for a family without a middle token', () => {
  const template = { ...TEMPLATE, order: 'suffix-prefix-middle' as const, fileToken: null, middleToken: null };
  const ask = (settled: string, typed: string) => buildFimPrompt({ ...INPUT, template, middle: { settled, typed } });
  expect(ask('', '')).toEqual({ parts: [91, ';\n', 90, 'const a = '], sectionBoundaries: [0, 2, 4] });
  expect(ask('', '1')).toEqual({ parts: [91, ';\n', 90, 'const a = ', '1'], sectionBoundaries: [0, 2, 4] });
  expect(ask('1;\n', '').sectionBoundaries).toEqual([0, 2, 4, 5]);
  expect(ask('1;\n', 'let').sectionBoundaries).toEqual([0, 2, 4, 5]);
  expect(ask('1;\n', 'let').parts.slice(-3)).toEqual(['const a = ', '1;\n', 'let']);
});

it('begins the prefix alone with a blank for a model that was trained so', () => {
  const template = { ...TEMPLATE, fileToken: null, leadingBlank: true };
  const middle = { settled: '', typed: 'typed' };
  expect(buildFimPrompt({ ...INPUT, template, middle }).parts).toEqual([90, ' const a = ', 91, ';\n', 92, 'typed']);
  expect(buildFimPrompt({ ...INPUT, template, middle, prefix: '' }).parts).toEqual([90, 91, ';\n', 92, 'typed']);
  const commented = buildFimPrompt({ ...INPUT, template, context: CONTEXT }).parts;
  expect(commented[1]).toMatch(/^ \/\/ src/);
  expect(commented[2]).toBe('const a = ');
});

it('leaves out missing parts', () => {
  expect(buildFimPrompt({ ...INPUT, path: null, suffix: '' }).parts).toEqual([90, 'const a = ', 91, 92]);
  expect(buildFimPrompt({ ...INPUT, template: { ...TEMPLATE, fileToken: null } }).parts[0]).toBe(90);
});

it('keeps special tokens of the source as text', () => {
  const prompt = buildFimPrompt({ ...INPUT, prefix: '"<|fim_middle|>"' }).parts;
  expect(prompt).toContain('"<|fim_middle|>"');
  expect(prompt.filter((part) => part === 92)).toHaveLength(1);
});

it("counts the tokens of a prompt besides the document's text", () => {
  expect(frameTokens(TEMPLATE, null)).toBe(3);
  expect(frameTokens(TEMPLATE, 'src/a.ts')).toBe(3 + 1 + 3);
  expect(frameTokens({ ...TEMPLATE, bosToken: 1, fileToken: null }, 'src/a.ts')).toBe(4);
});

it('begins the middle with the typed line, and marks the section boundaries', () => {
  const { parts, sectionBoundaries } = buildFimPrompt({
    ...INPUT,
    prefix: 'let b;\n',
    middle: { settled: '', typed: 'const a = ' },
  });
  expect(parts).toEqual([95, 'src/a.ts\n', 90, 'let b;\n', 91, ';\n', 92, 'const a = ']);
  expect(sectionBoundaries).toEqual([2, 4, 6]);
});

describe('other files', () => {
  const commented = { ...TEMPLATE, fileToken: null, repositoryToken: null };

  it('come first, in the form of a repository, with one name per file', () => {
    const { parts, sectionBoundaries } = buildFimPrompt({ ...INPUT, context: CONTEXT });
    expect(parts).toEqual([
      ...[94, 'shop\n', 95, 'src/b.ts\nexport const b = 1;\nexport const c = 2;\n'],
      ...[95, 'src/d.ts\n"<|fim_middle|>";\n'],
      ...[95, 'src/a.ts\n', 90, 'const a = ', 91, ';\n', 92],
    ]);
    expect(sectionBoundaries).toEqual([8, 10, 12]);
  });

  it("come without a repository's name if there is none", () => {
    expect(buildFimPrompt({ ...INPUT, context: { ...CONTEXT, repository: null } }).parts[0]).toBe(95);
    const template = { ...TEMPLATE, repositoryToken: null };
    expect(buildFimPrompt({ ...INPUT, template, context: CONTEXT }).parts[0]).toBe(95);
  });

  it('come below comments if the model has no file token, with a boundary at their end', () => {
    const { parts, sectionBoundaries } = buildFimPrompt({ ...INPUT, template: commented, context: CONTEXT });
    expect(parts).toEqual([
      90,
      '// src/b.ts\nexport const b = 1;\nexport const c = 2;\n\n// src/d.ts\n"<|fim_middle|>";\n\n// src/a.ts\n',
      ...['const a = ', 91, ';\n', 92],
    ]);
    expect(sectionBoundaries).toEqual([0, 2, 3, 5]);
    expect(buildFimPrompt({ ...INPUT, template: commented, context: CONTEXT, prefix: '' }).sectionBoundaries).toEqual([
      0, 2, 4,
    ]);
  });

  it('come in the prefix, behind the suffix, for a suffix-first family', () => {
    const template = { ...commented, order: 'suffix-prefix-middle' as const };
    const { parts, sectionBoundaries } = buildFimPrompt({ ...INPUT, template, context: CONTEXT });
    expect(parts.slice(0, 3)).toEqual([91, ';\n', 90]);
    expect(parts.slice(4)).toEqual(['const a = ', 92]);
    expect(sectionBoundaries).toEqual([0, 2, 4, 5]);
  });

  it('use the budget, their names included', () => {
    expect(contextTokens(EMPTY_CONTEXT)).toBe(0);
    const tokens = contextTokens(CONTEXT);
    const [one] = CONTEXT.snippets;
    expect(tokens).toBeGreaterThan(3 * 8);
    expect(contextTokens({ ...CONTEXT, snippets: [...CONTEXT.snippets, one!] })).toBeGreaterThan(tokens);
  });
});

it('marks the end of the settled part of the middle', () => {
  const { parts, sectionBoundaries } = buildFimPrompt({
    ...INPUT,
    middle: { settled: 'let b;\n', typed: 'const a = ' },
  });
  expect(parts.slice(-3)).toEqual([92, 'let b;\n', 'const a = ']);
  expect(sectionBoundaries.at(-1)).toBe(parts.length - 1);
  const nothing = buildFimPrompt({ ...INPUT, middle: { settled: 'let b;\n', typed: '' } });
  expect(nothing.parts.slice(-2)).toEqual([92, 'let b;\n']);
  expect(nothing.sectionBoundaries.slice(-2)).toEqual([nothing.parts.indexOf(92), nothing.parts.length]);
});
