import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverModels } from '../../../../../server/src/models/discovery/discover.js';
import { modelLocations } from '../../../../../server/src/models/discovery/locations.js';
import { ollamaModels } from '../../../../../server/src/models/discovery/ollama.js';
import { scanFolder } from '../../../../../server/src/models/discovery/scan-folder.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const never = new AbortController().signal;
let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => folder.dispose());

function write(name: string, content = ''): string {
  const file = folder.file(name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** Names of the models found, by source; paths are relative to the home folder. */
async function found(store: string | null = null, environment: Record<string, string> = {}) {
  const surroundings = { platform: 'linux', home: folder.path, environment } as const;
  const { models, unfinishedFolders } = await discoverModels(surroundings, store, never);
  const list = models.map((model) => [model.source, path.relative(folder.path, model.path), model.name]);
  return { list, unfinishedFolders };
}

describe('discoverModels', () => {
  it('finds nothing in an empty home, without an error', async () => {
    expect(await found()).toEqual({ list: [], unfinishedFolders: [] });
  });

  it('finds the models of each program, each file once', async () => {
    const blob = write('.cache/huggingface/hub/models--o--r/blobs/abc');
    const snapshot = folder.file('.cache/huggingface/hub/models--o--r/snapshots/1/model.gguf');
    mkdirSync(path.dirname(snapshot), { recursive: true });
    symlinkSync(blob, snapshot);
    symlinkSync(path.dirname(snapshot), folder.file('.cache/huggingface/hub/models--o--r/snapshots/2'));
    write('.lmstudio/models/publisher/model/studio.gguf');
    write('.cache/llama.cpp/o_r_model.gguf');
    write('.cache/llama.cpp/o_r_model.gguf.json');
    write('store/owner--repo/own.gguf');
    write('store/owner--repo/other.gguf.part');
    write(`.ollama/models/blobs/sha256-${'a'.repeat(64)}`);
    write(
      '.ollama/models/manifests/registry.ollama.ai/library/coder/7b',
      manifest(['application/vnd.ollama.image.model', `sha256:${'a'.repeat(64)}`]),
    );
    expect((await found(folder.file('store'))).list.sort()).toEqual([
      ['download', 'store/owner--repo/own.gguf', null],
      ['huggingFaceCache', '.cache/huggingface/hub/models--o--r/snapshots/1/model.gguf', null],
      ['llamaCppCache', '.cache/llama.cpp/o_r_model.gguf', null],
      ['lmStudio', '.lmstudio/models/publisher/model/studio.gguf', null],
      ['ollama', `.ollama/models/blobs/sha256-${'a'.repeat(64)}`, 'coder:7b'],
    ]);
  });

  it("follows LM Studio to the user's folder", async () => {
    write('.lmstudio-home-pointer', `${folder.file('moved')}\n`);
    write('moved/settings.json', JSON.stringify({ downloadsFolder: folder.file('elsewhere') }));
    write('moved/models/a/b/one.gguf');
    write('elsewhere/a/b/two.gguf');
    expect((await found()).list.map(([, file]) => file)).toEqual([
      'moved/models/a/b/one.gguf',
      'elsewhere/a/b/two.gguf',
    ]);
    write('moved/settings.json', 'not JSON');
    expect((await found()).list).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')("waits for nothing that is in place of LM Studio's files", async () => {
    mkdirSync(folder.file('.lmstudio'));
    for (const name of ['.lmstudio-home-pointer', '.lmstudio/settings.json']) {
      execFileSync('mkfifo', [folder.file(name)]);
    }
    write('.lmstudio/models/a/b/one.gguf');
    expect((await found()).list.map(([, file]) => file)).toEqual(['.lmstudio/models/a/b/one.gguf']);
  });

  it("reads LM Studio's settings no further than settings are long", async () => {
    const padding = ' '.repeat(2 ** 21);
    write('.lmstudio/settings.json', JSON.stringify({ downloadsFolder: folder.file('elsewhere') }) + padding);
    write('elsewhere/a/b/one.gguf');
    expect((await found()).list).toEqual([]);
  });

  it('looks at a limited number of manifests', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    write(`models/blobs/${digest.replace(':', '-')}`);
    for (let tag = 0; tag < 9; tag += 1) {
      write(`models/manifests/host/space/coder/${tag}`, manifest(['application/vnd.ollama.image.model', digest]));
    }
    expect(await ollamaModels(folder.file('models'), never)).toHaveLength(9);
    expect(await ollamaModels(folder.file('models'), never, { maxDepth: 4, maxEntries: 8 })).toHaveLength(5);
    expect(await ollamaModels(folder.file('models'), never, { maxDepth: 2, maxEntries: 8 })).toHaveLength(0);
  });

  it('skips manifests that are damaged, wrong or lead out of the blobs', async () => {
    const manifests = '.ollama/models/manifests/registry.ollama.ai/library';
    write(`${manifests}/damaged/1`, '{');
    write(`${manifests}/list/1`, '[]');
    write(`${manifests}/missing/1`, manifest(['application/vnd.ollama.image.model', `sha256:${'b'.repeat(64)}`]));
    write(`${manifests}/outside/1`, manifest(['application/vnd.ollama.image.model', 'sha256:../../../secret']));
    write(`${manifests}/none/1`, manifest(['application/vnd.ollama.image.license', `sha256:${'a'.repeat(64)}`]));
    expect((await found()).list).toEqual([]);
  });
});

describe('scanFolder', () => {
  it('offers a split model by its first part', async () => {
    const first = write('m-00001-of-00002.gguf');
    write('m-00002-of-00002.gguf');
    expect(await scanFolder(folder.path, never)).toEqual({ paths: [first], complete: true });
  });

  it('does not follow circular links', async () => {
    const model = write('a/b/model.gguf');
    symlinkSync(folder.path, folder.file('a/b/up'));
    expect(await scanFolder(folder.path, never)).toEqual({ paths: [model], complete: true });
  });

  it('stops at its limits, and reports it', async () => {
    for (let index = 0; index < 10; index += 1) write(`${index}.gguf`);
    const { paths, complete } = await scanFolder(folder.path, never, { maxDepth: 1, maxEntries: 5 });
    expect(paths).toHaveLength(5);
    expect(complete).toBe(false);
    write('a/b/deep.gguf');
    expect(await scanFolder(folder.file('a'), never, { maxDepth: 0, maxEntries: 5 })).toEqual({
      paths: [],
      complete: false,
    });
  });

  it('ends when aborted', async () => {
    expect((await scanFolder(folder.path, AbortSignal.abort())).complete).toBe(false);
  });
});

describe('modelLocations', () => {
  const folders = (platform: NodeJS.Platform, environment: Record<string, string>, source: string) =>
    modelLocations({ platform, home: platform === 'win32' ? 'C:\\Users\\me' : '/home/me', environment })
      .filter((location) => location.source === source)
      .map((location) => location.folder);

  it.each([
    ['linux', {}, 'llamaCppCache', ['/home/me/.cache/llama.cpp']],
    ['linux', { XDG_CACHE_HOME: '/x' }, 'llamaCppCache', ['/x/llama.cpp']],
    ['darwin', {}, 'llamaCppCache', ['/home/me/Library/Caches/llama.cpp']],
    ['win32', {}, 'llamaCppCache', ['C:\\Users\\me\\AppData\\Local\\llama.cpp']],
    ['win32', { LOCALAPPDATA: 'D:\\L' }, 'llamaCppCache', ['D:\\L\\llama.cpp']],
    ['linux', { LLAMA_CACHE: '/l' }, 'llamaCppCache', ['/l']],
    ['linux', {}, 'huggingFaceCache', ['/home/me/.cache/huggingface/hub']],
    ['linux', { HF_HOME: '/h' }, 'huggingFaceCache', ['/h/hub']],
    ['linux', { HF_HUB_CACHE: '/c', HF_HOME: '/h' }, 'huggingFaceCache', ['/c']],
    ['win32', {}, 'huggingFaceCache', ['C:\\Users\\me\\.cache\\huggingface\\hub']],
    ['linux', {}, 'ollama', ['/home/me/.ollama/models', '/usr/share/ollama/.ollama/models']],
    ['darwin', { OLLAMA_MODELS: '/o' }, 'ollama', ['/o']],
    ['win32', {}, 'lmStudio', ['C:\\Users\\me\\.lmstudio\\models', 'C:\\Users\\me\\.cache\\lm-studio\\models']],
  ] as const)('on %s with %j: %s', (platform, environment, source, expected) => {
    expect(folders(platform, environment, source)).toEqual(expected);
  });
});

function manifest(...layers: (readonly [mediaType: string, digest: string])[]): string {
  return JSON.stringify({ layers: layers.map(([mediaType, digest]) => ({ mediaType, digest })) });
}
