import { copyFileSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoadRequest } from '../../../../../server/src/engine/port/engine.js';
import { isShared, nameOf, sharedName } from '../../../../../server/src/engine/shared/names.js';
import { looksOf } from '../../../../support/faults/changed-fs.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const BUILD = { version: '1.0.0', flavour: '', place: 'cpu' };
const FILE = { path: '/models/coder.gguf', size: 5e9, mtimeMs: 1 };
const REQUEST: LoadRequest = { path: FILE.path, share: 'auto', threads: 2, contextLength: 2048, budgetBytes: 8e9 };

let folder: TemporaryFolder;
beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => folder.dispose());

describe('the name of a shared model', () => {
  const name = nameOf(REQUEST, [FILE], BUILD);

  it('is not looked for in parts that a file counts and that are not there', async () => {
    const path = folder.file('a-00001-of-99999.gguf');
    writeFileSync(path, 'GGUF');
    const looks = await looksOf(async () => {
      expect(await sharedName({ ...REQUEST, share: 'on', path }, BUILD)).toBeNull();
    });
    expect(looks).toBe(2);
  });

  it('is short, and the same for the same model and settings', () => {
    expect(name).toMatch(/^[0-9a-f]{24}$/);
    expect(nameOf({ ...REQUEST }, [{ ...FILE }], { ...BUILD })).toBe(name);
  });

  it.each<[string, LoadRequest]>([
    ['threads', { ...REQUEST, threads: 3 }],
    ['context', { ...REQUEST, contextLength: 4096 }],
    ['chat context', { ...REQUEST, chatContextLength: 4096 }],
    ['budget', { ...REQUEST, budgetBytes: 0 }],
    ['layers on the GPU', { ...REQUEST, gpuLayers: 0 }],
    ['kind of use', { ...REQUEST, requireFim: false }],
  ])('is another for another %s', (_what, request) => {
    expect(nameOf(request, [FILE], BUILD)).not.toBe(name);
  });

  it('is another for another file or build', () => {
    for (const change of [{ path: '/b.gguf' }, { size: 6e9 }, { mtimeMs: 2 }]) {
      expect(nameOf(REQUEST, [{ ...FILE, ...change }], BUILD)).not.toBe(name);
    }
    expect(nameOf(REQUEST, [FILE, FILE], BUILD)).not.toBe(name);
    expect(nameOf(REQUEST, [FILE], { ...BUILD, version: '1.0.1' })).not.toBe(name);
    expect(nameOf(REQUEST, [FILE], { ...BUILD, flavour: 'avx2' })).not.toBe(name);
    expect(nameOf(REQUEST, [FILE], { ...BUILD, place: 'Vulkan0' })).not.toBe(name);
  });

  it('does not change with what a server chooses by itself, or with the mode', () => {
    expect(nameOf({ ...REQUEST, suggestionTokens: 3000, share: 'on' }, [FILE], BUILD)).toBe(name);
  });
});

it.each([
  ['auto', 500e6, false],
  ['auto', 500e6 + 1, true],
  ['on', 1, true],
  ['off', 5e9, false],
] as const)('with %s a model of %d bytes is shared: %s', (mode, size, expected) => {
  expect(isShared(mode, [{ ...FILE, size }])).toBe(expected);
});

it('counts all parts of a split model', () => {
  const part = { ...FILE, size: 300e6 };
  expect([isShared('auto', [part]), isShared('auto', [part, part])]).toEqual([false, true]);
});

it('is there only for a file on this machine', async () => {
  const path = folder.file('a.gguf');
  const request: LoadRequest = { path, share: 'on' };
  expect(await sharedName(request, BUILD)).toBeNull();
  writeFileSync(path, 'GGUF');
  const name = await sharedName(request, BUILD);
  expect(name).not.toBeNull();
  expect(await sharedName({ path }, BUILD)).toBeNull();
  expect(await sharedName({ ...request, share: 'off' }, BUILD)).toBeNull();
  expect(await sharedName({ ...request, remote: { url: 'http://gpu', kind: 'auto', model: '' } }, BUILD)).toBeNull();
  utimesSync(path, 1, 1);
  expect(await sharedName(request, BUILD)).not.toBe(name);
  // A part is missing: the load says so.
  copyFileSync(path, folder.file('b-00001-of-00002.gguf'));
  expect(await sharedName({ ...request, path: folder.file('b-00001-of-00002.gguf') }, BUILD)).toBeNull();
});
