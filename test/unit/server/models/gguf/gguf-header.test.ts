import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import { readGgufHeader } from '../../../../../server/src/models/gguf/gguf-header.js';
import { type TinyTensor, tinyGguf } from '../../../../support/models/tiny-gguf.js';
import { starterModel } from '../../../../support/servers/server-process.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

function write(name: string, content: Buffer | string): string {
  const path = folder.file(name);
  writeFileSync(path, content);
  return path;
}

async function failure(path: string): Promise<EngineError> {
  const thrown: unknown = await readGgufHeader(path).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(EngineError);
  return thrown as EngineError;
}

/** Types of tensors by GGUF's ids. */
const [F32, Q4_K, Q6_K] = [0, 12, 14];

function typed(type: number, name: string): TinyTensor {
  return { name, shape: [256, 4], type };
}

describe('readGgufHeader', () => {
  it('reads the facts of a model', async () => {
    const path = write(
      'whole.gguf',
      tinyGguf({
        architecture: 'qwen35moe',
        metadata: {
          'general.name': 'Tiny',
          'general.file_type': 15,
          'qwen35moe.context_length': 4096,
          'qwen35moe.nextn_predict_layers': 1,
          'qwen35moe.expert_count': 8,
          'qwen35moe.expert_used_count': 2,
          'tokenizer.chat_template': '{{ messages }}',
        },
        tensors: [
          { name: 'token_embd.weight', shape: [8, 5] },
          { name: 'blk.0.ssm_out.weight', shape: [8, 8] },
          { name: 'blk.1.attn_k.weight', shape: [8, 4] },
          { name: 'blk.1.attn_v.weight', shape: [8, 6] },
          { name: 'blk.1.ffn_up_exps.weight', shape: [8, 2, 8] },
          { name: 'blk.2.nextn.eh_proj.weight', shape: [8, 2] },
        ],
      }),
    );
    const all = 40 + 64 + 32 + 48 + 128 + 16;
    expect(await readGgufHeader(path)).toMatchObject({
      paths: [path],
      architecture: 'qwen35moe',
      name: 'Tiny',
      quantization: 'Q4_K_M',
      parameterCount: all,
      activeParameterCount: all - 96,
      tensorBytes: all * 4,
      // Without the table of tokens, which is the head as well, the MTP block, and six of eight experts.
      work: { decodeBytes: (all - 16 - 96) * 4, prefillParameters: all - 40 - 16 - 96, slowPrefill: true },
      trainingContextLength: 4096,
      vocabularySize: 5,
      kvElementsPerToken: 10,
      recurrent: true,
      fim: true,
      mtp: true,
      chat: true,
    });
  });

  it.each([Number.NaN, -1e6, Number.POSITIVE_INFINITY])('believes no share of experts like %s', async (used) => {
    const bytes = tinyGguf({
      metadata: { 'qwen2.expert_count': 8, 'qwen2.expert_used_count': 2 },
      tensors: [{ name: 'blk.1.ffn_up_exps.weight', shape: [8, 2, 8] }],
    });
    const key = 'qwen2.expert_used_count';
    const at = bytes.indexOf(key) + key.length;
    expect(bytes.readUInt32LE(at + 4)).toBe(2);
    // A 32-bit float.
    bytes.writeUInt32LE(6, at);
    bytes.writeFloatLE(used, at + 4);
    const { activeParameterCount, parameterCount, work } = await readGgufHeader(write('share.gguf', bytes));
    expect(activeParameterCount).toBe(used < 0 ? 0 : parameterCount);
    expect(work).toMatchObject({ prefillParameters: activeParameterCount, decodeBytes: activeParameterCount * 4 });
  });

  it('counts what each token costs: a head of its own is read once for each answer token', async () => {
    const tensors = [
      { name: 'token_embd.weight', shape: [8, 100] },
      { name: 'blk.0.attn_k.weight', shape: [8, 4] },
      { name: 'output_norm.weight', shape: [8] },
      { name: 'output.weight', shape: [8, 100] },
    ];
    const header = await readGgufHeader(write('untied.gguf', tinyGguf({ tensors })));
    expect(header.work).toMatchObject({ decodeBytes: (32 + 8 + 800) * 4, prefillParameters: 32 + 8 });
  });

  it.each<[string, boolean, readonly TinyTensor[]]>([
    ['weights of Q4_K and Q6_K', false, [typed(Q4_K, 'blk.0.ffn_up.weight'), typed(Q6_K, 'blk.0.ffn_down.weight')]],
    ['a table of tokens of another type', false, [typed(F32, 'token_embd.weight'), typed(Q4_K, 'blk.0.ffn_up.weight')]],
    [
      'mostly other weights',
      true,
      ['up', 'gate', 'down'].map((name, at) => typed(at === 0 ? Q4_K : F32, `blk.0.ffn_${name}.weight`)),
    ],
    ['recurrent layers', true, [typed(Q4_K, 'blk.0.ssm_out.weight')]],
    ['experts', true, [typed(Q4_K, 'blk.0.ffn_up_exps.weight')]],
  ])('says whether a prompt takes longer than its weights say: %s', async (_name, slowPrefill, tensors) => {
    expect((await readGgufHeader(write('types.gguf', tinyGguf({ tensors })))).work.slowPrefill).toBe(slowPrefill);
  });

  it.each([
    ['a word', 'zeta-2.1', 'zeta-2.1'],
    ['several words', 'zeta 2', null],
    ['nothing', '', null],
    ['a long text', 'a'.repeat(100_000), null],
    ['a number', 7, null],
  ])('takes the format of next edits from %s', async (_, format, read) => {
    const path = write('format.gguf', tinyGguf({ metadata: { 'inkling.next_edit_format': format } }));
    expect((await readGgufHeader(path)).nextEditFormat).toBe(read);
  });

  it('takes the name from the file and the quantization from the tensors if metadata has neither', async () => {
    const path = write('Some-Model.gguf', tinyGguf());
    expect(await readGgufHeader(path)).toMatchObject({ name: 'Some-Model', quantization: 'F32', chat: false });
  });

  it.each([
    ['no tokens for it', ['a', 'b'], {}, false],
    ['two of the three', ['<PRE>', '<SUF>'], {}, false],
    ['the spelling of CodeLlama', ['▁<PRE>', '▁<SUF>', '▁<MID>'], {}, true],
    ['the spelling of Seed-Coder and Zeta', ['<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>'], {}, true],
    ["Codestral's pair", ['[SUFFIX]', '[PREFIX]'], { 'general.name': 'Codestral-22B-v0.1' }, true],
    ["Codestral's pair in another model of Mistral", ['[SUFFIX]', '[PREFIX]'], { 'general.name': 'Mistral' }, false],
    ['the spelling of DeepSeek', ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>'], {}, true],
    [
      'ids in the metadata',
      ['a', 'b', 'c'],
      {
        'tokenizer.ggml.fim_pre_token_id': 0,
        'tokenizer.ggml.fim_suf_token_id': 1,
        'tokenizer.ggml.middle_token_id': 2,
      },
      true,
    ],
  ])('sees fill-in-the-middle: %s', async (_name, tokens, metadata, expected) => {
    const path = write('fim.gguf', tinyGguf({ tokens, metadata }));
    expect((await readGgufHeader(path)).fim).toBe(expected);
  });

  it.each([
    [0, null],
    [1, 'embedding'],
    [3, 'embedding'],
    [4, 'reranker'],
  ])('tells models that write text from those that do not: pooling %s', async (type, expected) => {
    const path = write('pooling.gguf', tinyGguf({ metadata: { 'qwen2.pooling_type': type } }));
    expect((await readGgufHeader(path)).pooling).toBe(expected);
  });

  it.each([
    ['as it lists them', ['typescript', 'python'], ['typescript', 'python']],
    ['each once', ['go', 'go'], ['go']],
    ['with some that Inkling has not heard of', ['go', 'rust', 'brainfuck'], ['go', 'rust', 'brainfuck']],
    ['not if it lists human languages', ['en', 'zh'], null],
    ['not if most are human languages', ['en', 'de', 'python'], null],
    ['not if the list is empty', [], null],
    ['not if they are numbers', [1, 2, 3], null],
    ['not if they are one text', 'python', null],
    ['not if one of them is long', ['python', 'x'.repeat(1_000_000)], null],
    ['not if there are too many', Array.from({ length: 257 }, () => 'python'), null],
    ['not if the list has no end', Array.from({ length: 20_000 }, (_, index) => `language ${index}`), null],
  ])('reads the languages that the model knows: %s', async (_name, listed, expected) => {
    const path = write('languages.gguf', tinyGguf({ metadata: { 'general.languages': listed, after: 'it' } }));
    expect(await readGgufHeader(path)).toMatchObject({ languages: expected, vocabularySize: 5, fim: true });
  });

  it('says nothing of languages and of the length of texts in training where the file does not', async () => {
    const header = await readGgufHeader(write('silent.gguf', tinyGguf()));
    expect(header).toMatchObject({ languages: null, trainedLength: null });
  });

  it.each([
    [2048, 2048],
    [0, null],
    ['2048', null],
    [[2048], null],
  ])('reads the length of texts in training: %j', async (value, expected) => {
    const path = write('trained.gguf', tinyGguf({ metadata: { 'inkling.training_context_length': value } }));
    expect((await readGgufHeader(path)).trainedLength).toBe(expected);
  });

  it('reads the card of the starter model', async () => {
    const header = await readGgufHeader(starterModel);
    expect(header.languages).toEqual(['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python']);
    expect(header.trainedLength).toBe(2048);
    expect(header.trainingContextLength).toBeGreaterThan(2048);
  });

  it('reads a vocabulary that is larger than one window', async () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `token number ${index}`);
    const path = write('large.gguf', tinyGguf({ tokens: [...many, '<PRE>', '<SUF>', '<MID>'] }));
    expect(await readGgufHeader(path)).toMatchObject({ vocabularySize: 200_003, fim: true });
  });

  it('finds the tokens of a vocabulary wherever a window ends', async () => {
    const window = 2 ** 18;
    const [prefix, others] = ['<PRE>', ['<SUF>', '<MID>']];
    const withLength = (length: number) => tinyGguf({ tokens: ['x'.repeat(length), prefix, ...others] });
    const length = window - withLength(0).indexOf(prefix);
    expect(withLength(length).indexOf(prefix)).toBe(window);
    // From a window that ends after the last token to one that ends before the length of the first.
    for (let shift = -40; shift <= 10; shift += 1) {
      const path = write('shifted.gguf', withLength(length + shift));
      expect(await readGgufHeader(path), `shifted by ${shift}`).toMatchObject({ vocabularySize: 4, fim: true });
    }
  });

  it('adds up the parts of a split model, given any of them', async () => {
    const first = write('split-00001-of-00002.gguf', tinyGguf({ metadata: { 'split.count': 2 } }));
    const second = write('split-00002-of-00002.gguf', tinyGguf({ tensors: [{ name: 'b.weight', shape: [4] }] }));
    const header = await readGgufHeader(second);
    expect(header).toMatchObject({ paths: [first, second], parameterCount: 36, name: 'split' });
    expect(await readGgufHeader(first)).toEqual(header);
  });

  it('names the part that is missing', async () => {
    const first = write('torn-00001-of-00002.gguf', tinyGguf());
    expect(await failure(first)).toMatchObject({ code: 'fileNotFound' });
    expect((await failure(first)).message).toContain('torn-00002-of-00002.gguf');
  });
});

describe('an incomplete or invalid file', () => {
  it.each([
    ['is not there', () => folder.file('none.gguf'), 'fileNotFound', 'There is no model file'],
    ['is a folder', () => folder.path, 'notGguf', 'is not a file'],
    ['is empty', () => write('empty.gguf', ''), 'notGguf', "does not start with 'GGUF'"],
    ['is something else', () => write('page.gguf', '<html>'), 'notGguf', "does not start with 'GGUF'"],
    ['names no architecture', () => write('no-arch.gguf', tinyGguf({ architecture: '' })), 'notGguf', 'architecture'],
    ['lacks its weights', () => write('cut.gguf', tinyGguf({ dataBytes: 100 })), 'truncatedFile', 'of 480 bytes'],
    ['has version 1', () => write('v1.gguf', patched(4, 1)), 'notGguf', 'of version 1'],
    ['is big-endian', () => write('big.gguf', patched(4, 0x03000000)), 'notGguf', 'big-endian'],
    ['claims a billion entries', () => write('many.gguf', patched(16, 1_000_000_000)), 'notGguf', '1000000000'],
    ['claims a billion tensors', () => write('tensors.gguf', patched(8, 1_000_000_000)), 'notGguf', '1000000000'],
    [
      'has a tensor of an unknown type',
      () => write('type.gguf', tinyGguf({ tensors: [{ name: 'odd', shape: [4], type: 77 }] })),
      'notGguf',
      'tensor odd',
    ],
  ])('%s', async (_name, path, code, message) => {
    const error = await failure(path());
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  it('is refused wherever it is cut, and read during its download', async () => {
    const whole = tinyGguf({ metadata: { 'general.name': 'Tiny' } });
    for (let length = 0; length < whole.length; length += 1) {
      const path = write('cut.gguf', whole.subarray(0, length));
      expect(['notGguf', 'truncatedFile'], `cut to ${length} bytes`).toContain((await failure(path)).code);
    }
    const path = write('cut.gguf', whole.subarray(0, whole.length - 1));
    expect(await readGgufHeader(path, { partial: true })).toMatchObject({ name: 'Tiny', fim: true });
  });

  it('gives typed errors only, whichever single byte is changed', async () => {
    const whole = tinyGguf();
    for (let position = 0; position < 420 && position < whole.length; position += 1) {
      const changed = Buffer.from(whole);
      changed[position] = 0xff;
      const path = write('changed.gguf', changed);
      const thrown: unknown = await readGgufHeader(path).catch((error: unknown) => error);
      if (thrown instanceof Error) expect(thrown, `byte ${position}`).toBeInstanceOf(EngineError);
    }
  });
});

/** A valid file with one 32-bit value overwritten. */
function patched(position: number, value: number): Buffer {
  const file = tinyGguf();
  file.writeUInt32LE(value, position);
  return file;
}
