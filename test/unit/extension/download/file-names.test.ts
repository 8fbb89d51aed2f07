import path from 'node:path';
import { expect, it } from 'vitest';
import { Downloads } from '../../../../extension/src/download/downloads.js';

const STORE = path.resolve('/store');

const downloads = new Downloads({
  store: STORE,
  repositoryUrl: () => 'https://huggingface.co',
  token: async () => null,
  inspect: async () => null,
});

it.each([
  ['some%20model.gguf', 'some_model.gguf'],
  ['..%2F..%2Fout.gguf', 'out.gguf'],
  ['.hidden.gguf', '_hidden.gguf'],
  ['NUL.gguf', '_NUL.gguf'],
  ['com1.part.gguf', '_com1.part.gguf'],
  ['null.gguf', 'null.gguf'],
  ['a%00b%0A.gguf', 'a_b_.gguf'],
  ['[x](command:evil).gguf', '_x_(command_evil).gguf'],
])('a download of %s is called %s, in a folder of the store', (name, expected) => {
  const { modelPath } = downloads.planForUrl(`https://example.com/models/${name}`);
  expect(path.basename(modelPath)).toBe(expected);
  expect(path.dirname(path.dirname(modelPath))).toBe(STORE);
});
