import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { readGgufHeader } from '../../../../../server/src/models/gguf/gguf-header.js';
import { readMetadata } from '../../../../../server/src/models/gguf/gguf-metadata.js';
import { GgufReader } from '../../../../../server/src/models/gguf/gguf-reader.js';
import { type TinyModel, tinyGguf } from '../../../../support/models/tiny-gguf.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

function write(name: string, content: Buffer | string): string {
  writeFileSync(folder.file(name), content);
  return folder.file(name);
}

async function metadataOf(model: TinyModel) {
  const content = tinyGguf(model);
  const handle = await open(write('metadata.gguf', content), 'r');
  try {
    const reader = new GgufReader(handle, content.length);
    await reader.need(24);
    reader.view(16);
    return await readMetadata(reader, reader.count());
  } finally {
    await handle.close();
  }
}

it('keeps no text and no number that nobody asks for, and no long names', async () => {
  const long = 'long.'.repeat(2_000);
  const metadata = {
    'general.name': 'A',
    'general.license': 'x'.repeat(100_000),
    'a.b': 1,
    [long]: 1,
    [`${long}a`]: 'b',
  };
  const { strings, numbers } = await metadataOf({ metadata });
  expect([...strings.keys()].sort()).toEqual(['general.architecture', 'general.name']);
  expect([...numbers.keys()]).toEqual(['a.b']);
});

it('names no tensor at length', async () => {
  const tensors = [{ name: 'a'.repeat(100_000), shape: [4], type: 77 }];
  const failed = readGgufHeader(write('tensor.gguf', tinyGguf({ tensors }))).catch((error: Error) => error.message);
  expect(await failed).toMatch(/^.{1,500} is damaged: a name of 100000 bytes is too long$/);
});

it('gives a name and an architecture that fit into a row', async () => {
  const metadata = { 'general.name': `Big ${'😀'.repeat(1_000)}` };
  const header = await readGgufHeader(write('name.gguf', tinyGguf({ architecture: 'a'.repeat(5_000), metadata })));
  expect(header.name).toMatch(/^Big (?:😀){10,100}$/u);
  expect(header.architecture).toBe('a'.repeat(64));
});

it.each([
  [3.5, 3],
  [0.5, 0],
  [-4, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 0],
  [2048, 2048],
])('believes that a context has whole tokens: %s counts as %s', async (said, length) => {
  const content = tinyGguf({ metadata: { 'qwen2.context_length': 1 } });
  const key = content.indexOf('qwen2.context_length') + 'qwen2.context_length'.length;
  expect(content.readUInt32LE(key + 4)).toBe(1);
  // A number of four bytes, but of another type.
  content.writeUInt32LE(6, key);
  content.writeFloatLE(said, key + 4);
  expect((await readGgufHeader(write('context.gguf', content))).trainingContextLength).toBe(length);
});

it.skipIf(process.platform === 'win32')('waits for no pipe in place of a file, or of a part', async () => {
  write('part-00001-of-00002.gguf', tinyGguf());
  for (const name of ['pipe.gguf', 'part-00002-of-00002.gguf']) execFileSync('mkfifo', [folder.file(name)]);
  for (const name of ['pipe.gguf', 'part-00001-of-00002.gguf']) {
    const failed = readGgufHeader(folder.file(name)).catch((error: Error) => error.message);
    expect(await failed).toMatch(/\.gguf is not a file$/);
  }
});

it('says what a pointer of Git LFS is', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 986000000\n`;
  const failed = readGgufHeader(write('pointer.gguf', pointer)).catch((error: Error) => error.message);
  expect(await failed).toContain('Git LFS');
});

it.each(['models/none.gguf', '~/none.gguf', '"/models/none.gguf"', ''])(
  'asks for a whole path where there is no file and the path is none: %s',
  async (path) => {
    const failed = readGgufHeader(path).catch((error: Error) => error.message);
    expect(await failed).toBe(`There is no model file at ${path}. Give its whole path, without quotes, ~ or variables`);
  },
);
