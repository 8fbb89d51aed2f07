import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../../server/protocol/index.js';
import { hostOf, parseAddress, remoteRequest } from '../../../../../server/src/engine/port/remote-target.js';
import { isLocalName, proxyFor } from '../../../../../server/src/engine/remote/http/proxy.js';
import { chooseModel } from '../../../../../server/src/engine/remote/kinds/choose-model.js';
import {
  findFileMarkers,
  findFimTokens,
  piecesWithoutSpecials,
} from '../../../../../server/src/engine/remote/prompts/fim-tokens.js';
import {
  grammarBeginningWith,
  takeBack,
  unstableEnd,
} from '../../../../../server/src/engine/remote/prompts/healing.js';
import { SECTION_PLACEHOLDERS, sidesOf } from '../../../../../server/src/engine/remote/prompts/section-boundaries.js';
import { backoffMs } from '../../../../../server/src/engine/remote/reconnector.js';
import { EMPTY_CONTEXT } from '../../../../../server/src/prompt/context-block.js';
import { buildFimPrompt } from '../../../../../server/src/prompt/fim-prompt.js';
import { fimTemplateFor } from '../../../../../server/src/prompt/fim-template.js';

describe('an address', () => {
  it.each([
    ['http://gpu-box:8080', 'http://gpu-box:8080', 'gpu-box:8080'],
    ['gpu-box:8080', 'http://gpu-box:8080', 'gpu-box:8080'],
    [' https://models.example.com/v1/ ', 'https://models.example.com', 'models.example.com'],
    ['https://example.com/llm/v1', 'https://example.com/llm', 'example.com'],
    ['http://[::1]:11434/', 'http://[::1]:11434', '[::1]:11434'],
    ['HTTP://GPU-Box:80', 'http://gpu-box', 'gpu-box'],
  ])('%s', (text, base, host) => {
    expect(parseAddress(text)).toEqual({ base, origin: new URL(base).origin, host });
  });

  it.each(['ftp://gpu', 'http://', 'file:///etc/passwd', 'http://a b', 'http://me:pw@gpu:1'])(
    '%s is refused',
    (text) => {
      expect(() => parseAddress(text)).toThrow(/inkling\.remote\.url/);
      expect(hostOf({ url: text, kind: 'auto', model: '' })).toBe(text);
    },
  );

  it('is used only if the settings name one', () => {
    expect(remoteRequest(DEFAULT_SETTINGS)).toBeNull();
    const target = remoteRequest({ ...DEFAULT_SETTINGS, remoteUrl: 'gpu', remoteKind: 'ollama', remoteModel: 'm' });
    expect(target).toEqual({ path: 'gpu', remote: { url: 'gpu', kind: 'ollama', model: 'm' } });
  });
});

describe('a proxy', () => {
  const environment = { HTTP_PROXY: 'proxy.example:3128', HTTPS_PROXY: 'http://secure.example:3129' };

  it.each([
    ['http://engine.example.com', 'http://proxy.example:3128'],
    ['https://engine.example.com', 'http://secure.example:3129'],
    ['http://localhost:8080', null],
    ['http://127.0.0.1:8080', null],
    ['http://[::1]:8080', null],
    ['https://gpu-box:8080', null],
    ['https://gpu-box.local', null],
    ['http://192.168.1.20:11434', null],
    ['http://10.0.0.3', null],
    ['http://172.20.0.3', null],
    ['http://172.40.0.3', 'http://proxy.example:3128'],
    ['http://100.101.7.2:8080', null],
    ['http://100.128.7.2:8080', 'http://proxy.example:3128'],
    ['http://8.8.8.8', 'http://proxy.example:3128'],
    ['http://local.example.com', 'http://proxy.example:3128'],
  ])('of %s', (address, proxy) => {
    expect(proxyFor(address, environment)).toBe(proxy);
  });

  it.each([
    ['*', null],
    ['example.com', null],
    ['.example.com', null],
    ['*.example.com', null],
    ['engine.example.com:8000', null],
    ['engine.example.com:9000', 'http://proxy.example:3128'],
    ['other.org, ENGINE.example.com', null],
    ['ample.com', 'http://proxy.example:3128'],
    ['', 'http://proxy.example:3128'],
  ])('is used or not with NO_PROXY=%s', (exceptions, proxy) => {
    expect(proxyFor('http://engine.example.com:8000', { ...environment, NO_PROXY: exceptions })).toBe(proxy);
    expect(proxyFor('http://engine.example.com:8000', { ...environment, no_proxy: exceptions })).toBe(proxy);
  });

  it.each([
    ['2001:db8::7', null],
    ['[2001:db8::7]', null],
    ['[2001:DB8::7]:8000', null],
    ['[2001:db8::7]:9000', 'http://proxy.example:3128'],
    ['2001:db8::8', 'http://proxy.example:3128'],
    ['db8::7', 'http://proxy.example:3128'],
  ])('is used or not for an IPv6 address with NO_PROXY=%s', (exceptions, proxy) => {
    expect(proxyFor('http://[2001:db8::7]:8000', { ...environment, NO_PROXY: exceptions })).toBe(proxy);
  });

  it('is absent if none is named, or if the name is not an address', () => {
    expect(proxyFor('http://engine.example.com', {})).toBeNull();
    expect(proxyFor('https://engine.example.com', { HTTP_PROXY: 'proxy:1' })).toBeNull();
    expect(proxyFor('http://engine.example.com', { HTTP_PROXY: 'http://' })).toBeNull();
  });

  it.each([
    ['localhost.', true],
    ['a.localhost', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['2001:db8::1', false],
    ['169.254.1.1', true],
    ['example.com', false],
  ])('takes %s for local: %s', (name, local) => {
    expect(isLocalName(name)).toBe(local);
  });
});

describe('the typed text', () => {
  it.each([
    ['', 0],
    ['return', 6],
    ['x return', 7],
    ['a.retu', 5],
    ['(12', 2],
    ['a 12', 3],
    ['foo(', 1],
    ['foo (', 2],
    ['x = ', 1],
    ['line\n    ', 4],
    ['größe', 5],
    ['snake_ca', 3],
  ])('%j has %i characters to heal at its end', (text, length) => {
    expect(unstableEnd(text)).toBe(length);
  });

  const token = (id: number, piece: string | null) => ({ id, piece });
  it.each([
    ['a word with its blank', [token(1, 'x ='), token(2, ' ret'), token(3, 'u')], [1], ' retu'],
    ['nothing', [], [], ''],
    ['no half characters', [token(1, 'a'), token(2, null)], [1, 2], ''],
    ['no line ends', [token(1, 'a'), token(2, '\n  ')], [1, 2], ''],
    ['behind a line end only', [token(1, 'a\n'), token(2, '  '), token(3, 're')], [1], '  re'],
  ])('is healed by tokens: %s', (_name, tokens, stable, rest) => {
    expect(takeBack(tokens)).toEqual({ stable, rest });
  });

  it('is enforced by a grammar, whatever it is', () => {
    expect(grammarBeginningWith('ret')).toBe('root ::= "ret" .*');
    expect(grammarBeginningWith('"\\n\t]"')).toBe('root ::= "\\"\\\\n\\t]\\"" .*');
  });
});

describe('special tokens', () => {
  const known: Record<string, number> = {
    '<|fim_prefix|>': 7,
    '<|fim_suffix|>': 8,
    '<|fim_middle|>': 9,
    '<|file_sep|>': 10,
  };
  const tokenize = async (text: string) => (text in known ? [known[text]!] : [1, 2, 3]);

  it('are those whose text is one token', async () => {
    expect(await findFimTokens(tokenize, [])).toEqual({
      prefix: 7,
      suffix: 8,
      middle: 9,
      pad: null,
      repo: null,
      fileSep: 10,
      suffixFirst: false,
    });
    expect(await findFimTokens(async () => [1, 2], [])).toBeNull();
    expect(await findFimTokens(async (text) => (text === '<|fim_prefix|>' ? [7] : [1, 2]), [])).toBeNull();
  });

  it('tell by their spelling that the suffix comes first', async () => {
    const seedCoder = ['<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>'];
    const tokenizeSeedCoder = async (text: string) => (seedCoder.includes(text) ? [seedCoder.indexOf(text)] : [8, 9]);
    expect(await findFimTokens(tokenizeSeedCoder, [])).toMatchObject({
      prefix: 0,
      suffix: 1,
      middle: 2,
      suffixFirst: true,
    });
  });

  it('are a pair for Codestral, and only for Codestral', async () => {
    const mistral = ['[PREFIX]', '[SUFFIX]'];
    const tokenizeMistral = async (text: string) => (mistral.includes(text) ? [mistral.indexOf(text)] : [8, 9]);
    const fim = await findFimTokens(tokenizeMistral, ['coder', 'Codestral-22B-v0.1-Q4_K_M.gguf']);
    expect(fim).toMatchObject({ prefix: 0, suffix: 1, middle: null, suffixFirst: true });
    expect(await findFimTokens(tokenizeMistral, ['Mistral-Small-24B'])).toBeNull();
    const facts = { name: 'coder', architecture: null, fim, bosToken: 2, addBos: true, leadingBlank: false };
    expect(fimTemplateFor(facts)).toMatchObject({ order: 'suffix-prefix-middle', middleToken: null });
  });

  it('that begin another file are those whose text is one token', async () => {
    const markers = ['<|file_separator|>', '<filename>', '<file_name>', '<reponame>', '<pr>'];
    const tokenizeMarkers = async (text: string) => (markers.includes(text) ? [markers.indexOf(text)] : [8, 9]);
    expect(await findFileMarkers(tokenizeMarkers)).toEqual([0, 1, 2, 3, 4]);
    expect(await findFileMarkers(tokenize)).toEqual([10]);
  });

  it.each([
    ['const a = b < c;', 1],
    ['usage: run <filename>', 2],
    ['a <|fim_middle|> b', 2],
    ['<fim_prefix>x<PRE>', 3],
    ['</s>', 2],
    ['[INST] x [/INST]', 3],
    ['<div></div> << |', 1],
  ])('are in no piece of %j', (text, count) => {
    const pieces = piecesWithoutSpecials(text);
    expect(pieces.join('')).toBe(text);
    expect(pieces).toHaveLength(count);
  });
});

it('finds prefix and suffix in a prompt that was built with placeholders', () => {
  const template = fimTemplateFor({
    name: 'mellum',
    architecture: '',
    fim: SECTION_PLACEHOLDERS,
    bosToken: null,
    addBos: false,
    leadingBlank: false,
  });
  const prompt = buildFimPrompt({
    template: template!,
    path: 'a.ts',
    context: { ...EMPTY_CONTEXT, languageId: 'typescript', snippets: [{ path: 'b.ts', text: 'b\n', why: 'openFile' }] },
    prefix: 'one\n',
    suffix: '\nthree',
    middle: { settled: 'settled\n', typed: 'two' },
  });
  expect(sidesOf(prompt.parts)).toEqual({ prefix: '// b.ts\nb\n\n// a.ts\none\nsettled\ntwo', suffix: '\nthree' });
});

describe('one model of several', () => {
  it.each([
    [['a'], '', 'a'],
    [['a', 'b'], 'b', 'b'],
    [['coder:latest', 'coder:7b'], 'coder', 'coder:latest'],
  ])('of %j, named %j', (available, wanted, chosen) => {
    expect(chooseModel('gpu', available, wanted)).toBe(chosen);
  });

  it.each([
    [[], '', 'gpu has no model'],
    [['a', 'b'], '', 'to one of them: a, b'],
    [['a'], 'c', 'gpu has no model c (inkling.remote.model). It has a'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], '', 'a, b, c, d, e, f, …'],
  ])('of %j, named %j, is refused', (available, wanted, sentence) => {
    expect(() => chooseModel('gpu', available, wanted)).toThrow(sentence);
  });
});

it('waits longer and longer, up to a minute', () => {
  expect([0, 1, 2, 5, 6, 100].map(backoffMs)).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
});
