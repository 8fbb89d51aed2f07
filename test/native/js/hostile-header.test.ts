import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TENSOR_TYPES } from '../../../server/src/models/gguf/gguf-types.js';
import { addonFile, openAddon, STARTER_MODEL } from '../../support/addon.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { type Gguf, type GgufScalar, type GgufValue, parseGguf, serializeGguf } from '../../support/models/gguf.js';
import { bytesOf, readTensors, storeTensors } from '../../support/models/gguf-tensors.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'test/native/js/programs/load-models.mjs');
const TIME_LIMIT_MS = 20_000;

const INT32 = 5;
const FLOAT32 = 6;
const STRING = 8;
const ARRAY = 9;

type Metadata = Map<string, GgufValue>;
type Failure = { readonly step: string; readonly code: string; readonly message: string };

const folder = new TemporaryFolder();
const starter = parseGguf(readFileSync(STARTER_MODEL));
let child: ChildProcess | null = null;

afterAll(() => {
  child?.kill('SIGKILL');
  folder.dispose();
});

/** Loads a model in another process and completes with it. @returns what failed; null if nothing did */
async function use(model: Gguf): Promise<Failure | null> {
  const file = folder.file('model.gguf');
  writeFileSync(file, serializeGguf(model));
  child ??= fork(PROGRAM, [addonFile(openAddon().flavour)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const loader = child;
  const answered = new AbortController();
  const { signal } = answered;
  const silent = setTimeout(() => loader.kill('SIGKILL'), TIME_LIMIT_MS);
  try {
    loader.send(file);
    const ended = once(loader, 'exit', { signal }).then(() => [{ step: 'process', code: 'ended', message: '' }]);
    const [answer] = (await Promise.race([once(loader, 'message', { signal }), ended])) as [Failure | 'nothing'];
    if (answer === 'nothing') return null;
    if (answer.code === 'ended') child = null;
    else if (answer.step !== 'use') expect(answer.message).toContain(file);
    return answer;
  } finally {
    clearTimeout(silent);
    answered.abort();
  }
}

function edited(edit: (metadata: Metadata) => void): Gguf {
  const metadata = new Map(starter.metadata);
  edit(metadata);
  return { ...starter, metadata };
}

function list(elementType: number, values: readonly GgufScalar[]): GgufValue {
  return { type: ARRAY, elementType, values };
}

function withTokens(edit: (tokens: string[]) => readonly string[] | undefined): Gguf {
  return edited((metadata) => {
    const stored = metadata.get('tokenizer.ggml.tokens');
    if (stored === undefined || !('values' in stored)) throw new Error('the model has no vocabulary');
    const tokens = stored.values.map(String);
    metadata.set('tokenizer.ggml.tokens', list(STRING, edit(tokens) ?? tokens));
  });
}

function withTokenizer(name: string, model: Gguf = starter): Gguf {
  const metadata = new Map(model.metadata).set('tokenizer.ggml.model', { type: STRING, value: name });
  return { ...model, metadata };
}

function withLongToken(text: string): Gguf {
  return withTokens((tokens) => {
    tokens[500] = text;
    return tokens;
  });
}

describe('a vocabulary that no model has', () => {
  // Before, each of these hung the process, ended it, or took gigabytes.
  test.each<[name: string, code: string, model: () => Gguf]>([
    ['a token of 64 KB', 'truncatedFile', () => withLongToken('中'.repeat(21_000))],
    [
      'a token of a megabyte, in a trie',
      'truncatedFile',
      () => withTokenizer('t5', withLongToken('q'.repeat(2 ** 20))),
    ],
    [
      'many tokens of 255 bytes',
      'truncatedFile',
      () => withTokens((all) => all.map((_, id) => `${id}${'中'.repeat(83)}`)),
    ],
    ['no tokens', 'truncatedFile', () => withTokens(() => [])],
    [
      'no tokens, for tests',
      'unsupportedModel',
      () =>
        withTokenizer(
          'test',
          withTokens(() => []),
        ),
    ],
    ['words of RWKV without their letters', 'truncatedFile', () => withTokenizer('rwkv')],
    ['no bytes for SentencePiece', 'unsupportedModel', () => withTokenizer('llama')],
    [
      'a token twice',
      'loadFailed',
      () => withTokens((all) => all.map((token, id) => (id === 301 ? (all[300] ?? '') : token))),
    ],
    [
      'a text of 20 MB',
      'truncatedFile',
      () => edited((all) => all.set('general.license', { type: STRING, value: 'x'.repeat(20e6) })),
    ],
  ])('%s: %s', async (_, code, model) => {
    expect(await use(model())).toMatchObject({ step: 'estimate', code });
  });

  test('the name of a tokenizer, however long, leaves the message short', async () => {
    const failure = await use(withTokenizer('x'.repeat(2 ** 20)));
    expect(failure).toMatchObject({ step: 'estimate', code: 'loadFailed' });
    expect(failure?.message.length).toBeLessThan(1000);
  });

  const SPECIAL = ['bos', 'eos', 'eot', 'unknown', 'padding', 'fim_pre', 'fim_suf', 'fim_mid'];
  const withKey = (key: string, value: GgufValue): Gguf => edited((all) => all.set(`tokenizer.ggml.${key}`, value));
  const typesOf = (type: number): GgufValue =>
    list(
      INT32,
      Array.from({ length: 16_384 }, () => type),
    );

  test
    .skipIf(isLeftOutDaily('a model with each part of its vocabulary changed'))
    .each<[name: string, model: () => Gguf]>([
      ...['bert', 't5', 'plamo2', 'gemma4', 'hybriddna', 'whitespace', 'gpt2', 'none', 'unknown', ''].map(
        (name): [string, () => Gguf] => [`tokenizer ${name}`, () => withTokenizer(name)],
      ),
      ...[0, 2, 3, 4, 5, 6, -1].map((type): [string, () => Gguf] => [
        `type ${type} for all tokens`,
        () => withKey('token_type', typesOf(type)),
      ]),
      ['too few types', () => withKey('token_type', list(INT32, [1]))],
      ['types that are texts', () => withKey('token_type', list(STRING, ['normal']))],
      [
        'no scores',
        () =>
          withTokenizer(
            't5',
            withKey(
              'scores',
              list(
                FLOAT32,
                Array.from({ length: 16_384 }, () => Number.NaN),
              ),
            ),
          ),
      ],
      [
        'an unusable map of characters',
        () => withTokenizer('t5', withKey('precompiled_charsmap', list(0, [4, 0, 0, 0, 0, 1, 0, 0, 65]))),
      ],
      ['no merges', () => withKey('merges', list(STRING, []))],
      ['merges without blanks', () => withKey('merges', list(STRING, ['', ' ', 'ab', '  ']))],
      ['merges that are numbers', () => withKey('merges', list(INT32, [1, 2]))],
      [
        'merges into what is no token',
        () => withKey('merges', list(STRING, ['a d', 'r e', 'n u', 'ad d', 'Ġ Ġ', 'nu m'])),
      ],
      ['empty tokens', () => withTokens((all) => all.map((token, id) => (id > 300 && id < 900 ? '' : token)))],
      ['tokens of other letters', () => withTokens((all) => all.map((token, id) => (id > 300 ? `中${token}` : token)))],
      ['tokens that are numbers', () => withKey('tokens', list(INT32, [1, 2]))],
      ['one token too few', () => withTokens((all) => all.slice(1))],
      ...SPECIAL.map((key): [string, () => Gguf] => [
        `${key} beyond the vocabulary`,
        () => withKey(`${key}_token_id`, { type: 4, value: 16_384 }),
      ]),
      [
        'the same token for everything',
        () =>
          edited((all) => {
            for (const key of SPECIAL) all.set(`tokenizer.ggml.${key}_token_id`, { type: 4, value: 300 });
          }),
      ],
    ])('%s: it loads and completes, or says what is wrong', async (_, model) => {
    expect((await use(model()))?.code ?? 'fine').not.toMatch(/^(ended|none|internal)$/);
  });
});

describe('a tensor of a type that its operation is not computed with', () => {
  /** The starter with another type for a tensor, whose values become zero; null where its rows are no whole blocks. */
  function withType(name: string, type: number): Gguf | null {
    const tensors = readTensors(starter);
    const changed = tensors.find((each) => each.name === name);
    if (changed === undefined) throw new Error(`the model has no tensor ${name}`);
    if ((changed.shape[0] ?? 0n) % BigInt(TENSOR_TYPES[type]?.elements ?? 1) !== 0n) return null;
    const bytes = Buffer.alloc(bytesOf(type, changed.shape));
    return { ...starter, ...storeTensors(tensors.map((each) => (each === changed ? { ...each, type, bytes } : each))) };
  }

  const F16 = 1;
  const Q4_0 = 2;
  const Q8_1 = 9;
  const Q8_K = 15;
  const I32 = 26;
  const F64 = 28;

  test('is named', async () => {
    const model = withType('blk.0.attn_norm.weight', F16);
    if (model === null) throw new Error('the norm has whole blocks');
    expect(await use(model)).toMatchObject({
      step: 'estimate',
      code: 'unsupportedModel',
      message: expect.stringMatching(/blk\.0\.attn_norm\.weight.*f16/),
    });
  });

  // The first of each kind; the blocks have the same, but those that draft.
  const names = readTensors(starter).map(({ name }) => name);
  const kinds = new Map([...names].reverse().map((name) => [name.replace(/^blk\.\d+/, ''), name]));

  test.skipIf(isLeftOutDaily('a model with other types of its tensors')).each([...kinds.values()])(
    '%s: it loads and completes, or says what is wrong',
    async (name) => {
      const outcomes: string[] = [];
      for (const type of [F16, Q4_0, Q8_1, Q8_K, I32, F64]) {
        const model = withType(name, type);
        if (model === null) continue;
        const code = (await use(model))?.code ?? 'fine';
        expect(code, TENSOR_TYPES[type]?.name).not.toMatch(/^(ended|none|internal)$/);
        outcomes.push(code);
      }
      // The last one multiplies nothing.
      expect(outcomes.at(-1)).not.toBe('fine');
    },
  );
});
