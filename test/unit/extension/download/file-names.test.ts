import path from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('a name that is too long for the files beside it, such as its lock', () => {
  const long = (ending: string) => `${'deep/'.repeat(60)}model${ending}`;
  const namesOf = (...paths: readonly string[]) => {
    const reference = { kind: 'repository', repository: 'owner/repo', revision: 'main', file: null } as const;
    const files = paths.map((each) => ({ path: each, bytes: 1, sha256: null }));
    return downloads.planForModel(reference, { name: 'model', files }, 'Model').files.map(({ name }) => name);
  };

  it('is cut in the middle, and stays a name of its own', () => {
    const [name = ''] = namesOf(long('-Q8_0.gguf'));
    expect(name).toMatch(/^deep--deep--.*--[0-9a-f]{8}--.*model-Q8_0\.gguf$/);
    expect(name.length).toBeLessThanOrEqual(200);
    expect(namesOf(long('-Q8_0.gguf'))).toEqual([name]);
    expect(namesOf(`other/${long('-Q8_0.gguf')}`)).not.toEqual([name]);
  });

  it('leaves the parts of a model together', () => {
    const parts = namesOf(long('-00001-of-00002.gguf'), long('-00002-of-00002.gguf'));
    expect(parts[0]?.length).toBeLessThanOrEqual(200);
    expect(parts[1]).toBe(parts[0]?.replace('-00001-of-', '-00002-of-'));
    expect(parts[0]).toMatch(/model-00001-of-00002\.gguf$/);
  });

  it('is left as it is where it has room', () => {
    const name = `${'m'.repeat(195)}.gguf`;
    expect(namesOf(name)).toEqual([name]);
  });

  it('is cut in an address and its host, too', () => {
    const host = Array.from({ length: 4 }, () => 'h'.repeat(60)).join('.');
    const { modelPath } = downloads.planForUrl(`https://${host}/${'m'.repeat(250)}.gguf`);
    const names = path.relative(STORE, modelPath).split(path.sep);
    expect(names.map(({ length }) => length)).toEqual([200, 200]);
  });
});
