import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EstimateMemory, estimateFromHeader } from '../../../../server/src/models/memory-need.js';
import { ModelLibrary } from '../../../../server/src/models/model-library.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';
import { FIM_TOKENS, type TinyModel, tinyGguf } from '../../../support/tiny-gguf.js';

const byHeader: EstimateMemory = async (header, contextLength) => estimateFromHeader(header, contextLength);
const never = new AbortController().signal;
const folder = new TemporaryFolder();
const store = folder.file('store');
let starter: string;

beforeAll(() => {
  starter = write('starter.gguf', { metadata: { 'general.name': 'Starter' } });
  mkdirSync(store);
});
afterAll(() => folder.dispose());

function write(name: string, model: TinyModel = {}): string {
  const file = folder.file(name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, tinyGguf(model));
  return file;
}

function library(memoryBytes = 16e9, estimateMemory: EstimateMemory = byHeader): ModelLibrary {
  const surroundings = { platform: 'linux', home: folder.file('home'), environment: {} } as const;
  const machine = { surroundings, memoryBytes, unifiedMemory: false };
  const options = { starterModelPath: starter, machine, backend: () => null, contextLength: () => 4096 };
  return new ModelLibrary({ ...options, estimateMemory });
}

describe('the list', () => {
  it('holds the starter model, what is on the disk, and the catalogue', async () => {
    const own = write('store/owner--repo/own.gguf', { metadata: { 'general.name': 'Own' } });
    write('store/owner--repo/mmproj.gguf', { architecture: 'clip' });
    writeFileSync(folder.file('store/broken.gguf'), 'no model');
    const { offers, recommendedId, memoryBytes } = await library().list(store, never);
    expect(offers.slice(0, 2).map(({ id, source, name }) => [id, source, name])).toEqual([
      ['starter', 'starter', 'Starter'],
      [own, 'download', 'Own'],
    ]);
    expect(offers.slice(2).every(({ source, path: file }) => source === 'catalogue' && file === null)).toBe(true);
    expect(offers.some(({ id }) => id === recommendedId)).toBe(true);
    expect(memoryBytes).toBe(16e9);
  });

  it('recommends the starter model where nothing else fits', async () => {
    expect((await library(1e9).list(null, never)).recommendedId).toBe('starter');
  });

  it('notices that a file has changed', async () => {
    const same = library();
    const file = write('store/changing.gguf', { metadata: { 'general.name': 'Before' } });
    const nameOf = async () => (await same.list(store, never)).offers.find(({ id }) => id === file)?.name;
    expect(await nameOf()).toBe('Before');
    write('store/changing.gguf', { metadata: { 'general.name': 'Afterwards' } });
    expect(await nameOf()).toBe('Afterwards');
  });
});

describe('the check', () => {
  it('passes what can be used, the starter model by an empty path', async () => {
    const good = write('good.gguf');
    expect(await library().check(good, null, never)).toMatchObject({ kind: 'usable', offer: { path: good } });
    expect(await library().check('', null, never)).toMatchObject({ kind: 'usable', offer: { id: 'starter' } });
    expect(await library().refusal(good)).toBeNull();
  });

  it.each([
    ['an unknown architecture', { architecture: 'wordle' }, 'unsupportedModel', "architecture 'wordle'"],
    ['no text decoder', { architecture: 'bert' }, 'unsupportedModel', 'is not a text decoder'],
    ['no FIM tokens', { tokens: ['a', ...FIM_TOKENS.slice(1)] }, 'noFimTokens', 'no fill-in-the-middle tokens'],
    [
      'more memory than there is',
      { tensors: [{ name: 'huge.weight', shape: [2 ** 20, 2 ** 13] }], dataBytes: 64 },
      'truncatedFile',
      'incomplete',
    ],
  ])('refuses %s, and names another model', async (_name, model: TinyModel, code, message) => {
    const file = write('bad.gguf', model);
    const check = await library().check(file, null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code }, alternative: { refusal: null } });
    expect(check.kind === 'refused' && check.error.message).toContain(message);
    expect(await library().refusal(file)).toMatchObject({ code });
  });

  it('refuses by memory as soon as the header has arrived', async () => {
    const file = write('huge.gguf', { tensors: [{ name: 'huge.weight', shape: [2 ** 20, 2 ** 13] }], dataBytes: 64 });
    const check = await library().check(file, null, never, { partial: true });
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    expect(check.kind === 'refused' && check.error.message).toContain('of the 16.0 GB that this machine has');
    expect(check.kind === 'refused' && check.alternative.memoryBytes).toBeGreaterThan(4e9);
  });

  it('believes the estimate of the engine, for the context length in force', async () => {
    const good = write('good.gguf');
    const asked: unknown[] = [];
    const estimate: EstimateMemory = async (header, contextLength) => {
      asked.push([header.paths[0], contextLength]);
      return 15e9;
    };
    const check = await library(16e9, estimate).check(good, null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    expect(check.kind === 'refused' && check.error.message).toContain('about 15.0 GB of the 16.0 GB');
    expect(asked).toEqual([[good, 4096]]);
  });

  it('refuses what is no model', async () => {
    const check = await library().check(folder.file('none.gguf'), null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'fileNotFound' } });
  });
});
