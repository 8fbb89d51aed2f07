import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

let engine: NativeEngine;

beforeAll(async () => {
  engine = new (openAddon().Engine)();
  await engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
});
afterAll(() => engine.close());

const SPECIAL_TEXT = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>', '<|endoftext|>'];

describe('tokenize and detokenize', () => {
  test.each([
    ['an empty text', ''],
    ['code', 'export function add(left: number, right: number): number {\n  return left + right;\n}\n'],
    ['Windows line ends', 'if a:\r\n\treturn b\r\n\r\n'],
    ['old Mac line ends', 'a\rb\r'],
    ['spaces and tabs', ' \t  \t\t   x    \n    '],
    ['emoji with joiners and skin tones', '👩‍👩‍👧‍👦 👍🏽 🇩🇪 🦑'],
    ['several scripts', 'naïve Straße 模型 مرحبا हिन्दी e\u0301'],
    ['control characters', 'a\0b\u0001\u001b[0m\u007f'],
    ['a byte order mark', '\ufeffimport os'],
    ['private-use and non-characters', '\ue000\uffff\u{10ffff}'],
    ['special tokens, spelled out', SPECIAL_TEXT.join(' ')],
    ['a long text', 'const value = compute(1, 2, 3);\n'.repeat(2000)],
  ])('preserve %s', async (_, text) => {
    const tokens = await engine.tokenize(text);
    expect(tokens).toBeInstanceOf(Int32Array);
    expect(tokens.every((token) => token >= 0 && token < 16_384)).toBe(true);
    expect(await engine.detokenize(tokens)).toBe(text);
    expect(await engine.detokenize([...tokens], { special: true })).toBe(text);
  });

  test('every token that is not a special token has text of its own', async () => {
    const pieces = await engine.detokenize(Array.from({ length: 16_384 }, (_, token) => token));
    expect(pieces.length).toBeGreaterThan(16_384);
  });

  test('half of a surrogate pair becomes the replacement character', async () => {
    expect(await engine.detokenize(await engine.tokenize('a\ud83eb'))).toBe('a\ufffdb');
  });

  test('incomplete characters become the replacement character', async () => {
    const tokens = await engine.tokenize('🦑');
    expect(tokens.length).toBeGreaterThan(1);
    expect(await engine.detokenize(tokens.subarray(0, 1))).toContain('\ufffd');
  });

  test('many calls at once keep their own answers', async () => {
    const texts = Array.from({ length: 64 }, (_, index) => `const value${index} = ${index * 7919};\n`);
    const answers = await Promise.all(
      texts.map(async (text) => engine.detokenize(await engine.tokenize(text, { parseSpecial: true }))),
    );
    expect(answers).toEqual(texts);
  });

  test('work while a generation runs', async () => {
    const { result } = engine.generate({ prompt: ['x = 1\n'.repeat(60)], maxTokens: 32 });
    expect(await engine.detokenize(await engine.tokenize('while it runs'))).toBe('while it runs');
    await result;
  });
});

describe('special tokens', () => {
  test.each(SPECIAL_TEXT)('%s in user text stays text', async (text) => {
    expect((await engine.tokenize(text)).length).toBeGreaterThan(1);
    expect((await engine.tokenize(text, { parseSpecial: false })).length).toBeGreaterThan(1);
  });

  test.each(SPECIAL_TEXT)('%s becomes one token on request, and is only written on request', async (text) => {
    const tokens = await engine.tokenize(text, { parseSpecial: true });
    expect(tokens).toHaveLength(1);
    expect(await engine.detokenize(tokens)).toBe('');
    expect(await engine.detokenize(tokens, { special: true })).toBe(text);
  });

  test('in the facts are those of the vocabulary', async () => {
    const fim = engine.facts?.fim;
    const ids = async (text: string): Promise<number[]> => [...(await engine.tokenize(text, { parseSpecial: true }))];
    expect(await ids('<|fim_prefix|>')).toEqual([fim?.prefix]);
    expect(await ids('<|fim_suffix|>')).toEqual([fim?.suffix]);
    expect(await ids('<|fim_middle|>')).toEqual([fim?.middle]);
    expect(await ids('<|fim_pad|>')).toEqual([fim?.pad]);
    expect(await ids('<|repo_name|>')).toEqual([fim?.repo]);
    expect(await ids('<|file_sep|>')).toEqual([fim?.fileSep]);
  });
});
