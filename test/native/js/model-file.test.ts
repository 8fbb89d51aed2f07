import { chmodSync, closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeAddon, NativeLoadOptions, NativeModelFacts } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';
import { type Gguf, type GgufValue, parseGguf, serializeGguf } from '../../support/models/gguf.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const folder = new TemporaryFolder();
let addon: NativeAddon;
let starter: Gguf;

beforeAll(() => {
  addon = openAddon();
  starter = parseGguf(readFileSync(STARTER_MODEL));
});
afterAll(() => folder.dispose());

/** Loads a model into its own engine and closes it again. */
async function load(path: string, options: Partial<NativeLoadOptions> = {}): Promise<NativeModelFacts> {
  const engine = new addon.Engine();
  try {
    return await engine.load({ path, ...options });
  } finally {
    await engine.close();
  }
}

function write(name: string, content: Buffer | string): string {
  const path = folder.file(name);
  writeFileSync(path, content);
  return path;
}

/** The starter model with other metadata. */
function writeEdited(name: string, edit: (metadata: Map<string, GgufValue>) => void): string {
  const metadata = new Map(starter.metadata);
  edit(metadata);
  return write(name, serializeGguf({ ...starter, metadata }));
}

function rename(metadata: Map<string, GgufValue>, names: Readonly<Record<string, string>>): void {
  const tokens = metadata.get('tokenizer.ggml.tokens');
  if (tokens === undefined || !('values' in tokens)) throw new Error('the model has no vocabulary');
  const renamed = new Map(Object.entries(names));
  const values = tokens.values.map((token) => renamed.get(String(token)) ?? token);
  metadata.set('tokenizer.ggml.tokens', { ...tokens, values });
  for (const key of [...metadata.keys()]) {
    if (/^tokenizer\.ggml\.(fim_|prefix_|suffix_|middle_)/.test(key)) metadata.delete(key);
  }
}

const FIM_RENAMED = {
  '<|fim_prefix|>': '<|plain_one|>',
  '<|fim_suffix|>': '<|plain_two|>',
  '<|fim_middle|>': '<|plain_three|>',
};

describe('a file that is not a model', () => {
  test('does not exist: fileNotFound, which names it', async () => {
    const path = folder.file('missing.gguf');
    await expect(load(path)).rejects.toMatchObject({ code: 'fileNotFound', message: expect.stringContaining(path) });
  });

  test('lies below something that is not a folder: fileNotFound', async () => {
    await expect(load(`${STARTER_MODEL}/x.gguf`)).rejects.toMatchObject({ code: 'fileNotFound' });
  });

  test('is a folder: notGguf', async () => {
    await expect(load(folder.path)).rejects.toMatchObject({
      code: 'notGguf',
      message: expect.stringContaining(folder.path),
    });
  });

  test.each([
    ['empty', ''],
    ['shorter than the magic number', 'GGU'],
    ['text', 'This is a text file.\n'.repeat(100)],
    ['a model of an older format', Buffer.concat([Buffer.from('lmgg'), Buffer.alloc(4096)])],
  ])('is %s: notGguf', async (name, content) => {
    const path = write(`${name.replaceAll(' ', '-')}.gguf`, content);
    await expect(load(path)).rejects.toMatchObject({ code: 'notGguf', message: expect.stringContaining(path) });
  });

  test.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)('cannot be read: loadFailed', async () => {
    const path = write('unreadable.gguf', 'GGUF');
    chmodSync(path, 0o000);
    await expect(load(path)).rejects.toMatchObject({ code: 'loadFailed', message: expect.stringContaining(path) });
  });
});

describe('a damaged model', () => {
  test.each([4, 8, 24, 1000, 100_000])('cut after %i bytes of its header: truncatedFile', async (bytes) => {
    const path = write(`cut-${bytes}.gguf`, readFileSync(STARTER_MODEL).subarray(0, bytes));
    await expect(load(path)).rejects.toMatchObject({ code: 'truncatedFile', message: expect.stringContaining(path) });
  });

  test.each([0.25, 0.5, 0.999999])('cut at %d of its length: truncatedFile, with both sizes', async (share) => {
    const whole = readFileSync(STARTER_MODEL);
    const path = write('cut.gguf', whole);
    const bytes = Math.floor(whole.length * share);
    truncateSync(path, bytes);
    await expect(load(path)).rejects.toMatchObject({
      code: 'truncatedFile',
      message: expect.stringMatching(new RegExp(`\\b${bytes} of ${whole.length}\\b`)),
    });
  });

  test('whose header claims absurd counts: truncatedFile', async () => {
    const path = write('absurd.gguf', readFileSync(STARTER_MODEL));
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(16, 0x7f), 0, 16, 8);
    closeSync(file);
    await expect(load(path)).rejects.toMatchObject({ code: 'truncatedFile' });
  });

  test('without tensors is refused with a typed error', async () => {
    const bare = { ...starter, tensorCount: 0n, tensorInfos: Buffer.alloc(0), data: Buffer.alloc(0) };
    const path = write('no-tensors.gguf', serializeGguf(bare));
    await expect(load(path)).rejects.toMatchObject({ code: expect.stringMatching(/^(loadFailed|truncatedFile)$/) });
  });

  test('without a vocabulary is refused with a typed error that names it', async () => {
    const path = writeEdited('no-vocabulary.gguf', (metadata) => metadata.delete('tokenizer.ggml.tokens'));
    await expect(load(path)).rejects.toMatchObject({ code: 'loadFailed', message: expect.stringContaining(path) });
  });
});

describe('an unusable model', () => {
  test('of an unknown architecture: unsupportedModel, which names it', async () => {
    const path = writeEdited('unknown.gguf', (metadata) =>
      metadata.set('general.architecture', { type: 8, value: 'nosucharch' }),
    );
    await expect(load(path)).rejects.toMatchObject({
      code: 'unsupportedModel',
      message: expect.stringContaining('nosucharch'),
    });
  });

  test('that names no architecture: notGguf', async () => {
    const path = writeEdited('nameless.gguf', (metadata) => metadata.delete('general.architecture'));
    await expect(load(path)).rejects.toMatchObject({ code: 'notGguf', message: expect.stringContaining(path) });
  });

  test('without FIM tokens: noFimTokens, and it loads if they are not required', async () => {
    const path = writeEdited('no-fim.gguf', (metadata) => rename(metadata, FIM_RENAMED));
    await expect(load(path)).rejects.toMatchObject({ code: 'noFimTokens', message: expect.stringContaining(path) });
    await expect(load(path, { requireFim: true })).rejects.toMatchObject({ code: 'noFimTokens' });

    const engine = new addon.Engine();
    const facts = await engine.load({ path, requireFim: false });
    expect(facts).toMatchObject({ fim: null, vocabularySize: 16_384 });
    const result = await engine.generate({ prompt: ['const answer = '], maxTokens: 4 }).result;
    expect(result.tokens).toHaveLength(4);
    await engine.close();
  });

  test.each(Object.keys(FIM_RENAMED))('without %s alone: noFimTokens', async (token) => {
    const path = writeEdited('one-missing.gguf', (metadata) => rename(metadata, { [token]: '<|plain_one|>' }));
    await expect(load(path)).rejects.toMatchObject({ code: 'noFimTokens' });
  });

  test('without the optional FIM tokens loads, and its facts say -1', async () => {
    const path = writeEdited('bare-fim.gguf', (metadata) =>
      rename(metadata, {
        '<|fim_pad|>': '<|plain_one|>',
        '<|repo_name|>': '<|plain_two|>',
        '<|file_sep|>': '<|plain_three|>',
      }),
    );
    const facts = await load(path);
    expect(facts.fim).toEqual({
      prefix: 16_378,
      suffix: 16_380,
      middle: 16_379,
      pad: -1,
      repo: -1,
      fileSep: -1,
      suffixFirst: false,
    });
  });
});

describe('metadata that no model has', () => {
  test.each([0, 2 ** 31, 2 ** 32 - 1])('a training context of %i tokens: it limits nothing', async (length) => {
    const path = writeEdited(`context-${length}.gguf`, (metadata) =>
      metadata.set('qwen35.context_length', { type: 4, value: length }),
    );
    expect(starter.metadata.get('qwen35.context_length')).toMatchObject({ type: 4 });
    expect(await load(path, { threads: 1 })).toMatchObject({ trainingContextLength: 2 ** 31 - 1, contextLength: 8192 });
  });

  test.each(['none', 'no_vocab'])('a vocabulary of the type %s: unsupportedModel', async (type) => {
    const path = writeEdited(`${type}.gguf`, (metadata) => {
      metadata.set('tokenizer.ggml.model', { type: 8, value: type });
      metadata.set('qwen35.vocab_size', { type: 4, value: 16_384 });
    });
    for (const requireFim of [true, false]) {
      await expect(load(path, { requireFim })).rejects.toMatchObject({
        code: 'unsupportedModel',
        message: expect.stringContaining('no vocabulary'),
      });
    }
  });
});

describe('facts', () => {
  test('of the starter model', async () => {
    const facts = await load(STARTER_MODEL, { threads: 1, contextLength: 1024 });
    expect(facts).toEqual({
      path: STARTER_MODEL,
      name: expect.stringMatching(/\S/),
      architecture: 'qwen35',
      quantization: expect.stringContaining('Q4_K'),
      fileBytes: 35_884_928,
      weightsBytes: expect.any(Number),
      parameterCount: expect.any(Number),
      layerCount: 12,
      mtpLayerCount: 1,
      vocabularySize: 16_384,
      trainingContextLength: expect.any(Number),
      contextLength: 1024,
      chatContextLength: 8192,
      recurrent: true,
      canShiftContext: false,
      fim: {
        prefix: 16_378,
        suffix: 16_380,
        middle: 16_379,
        pad: 16_381,
        repo: 16_382,
        fileSep: 16_383,
        suffixFirst: false,
      },
      bosToken: expect.any(Number),
      addBos: false,
      leadingBlank: false,
      chatTemplate: null,
      threads: 1,
      backend: expect.stringMatching(/\S/),
    });
    expect(facts.parameterCount).toBeGreaterThan(50e6);
    expect(facts.weightsBytes).toBeLessThan(facts.fileBytes);
  });

  test("contain the file's chat template", async () => {
    const template = '{% for message in messages %}{{ message.content }}{% endfor %}';
    const path = writeEdited('chat.gguf', (metadata) =>
      metadata.set('tokenizer.chat_template', { type: 8, value: template }),
    );
    expect((await load(path)).chatTemplate).toBe(template);
  });

  test('keep a name that is not English', async () => {
    const path = writeEdited('modèle 模型.gguf', (metadata) =>
      metadata.set('general.name', { type: 8, value: 'Modèle 模型 🦑' }),
    );
    expect(await load(path)).toMatchObject({ path, name: 'Modèle 模型 🦑' });
  });

  test('count the threads and the context that the engine chose without a request', async () => {
    const facts = await load(STARTER_MODEL, { threads: 0, contextLength: 0 });
    expect(facts.threads).toBeGreaterThan(0);
    expect(facts.contextLength).toBe(Math.min(8192, facts.trainingContextLength));
  });
});
