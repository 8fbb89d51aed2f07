import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineErrorCode } from '../../../../server/protocol/index.js';
import type { EstimateMemory, LoadRequest } from '../../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../../server/src/engine/port/engine-error.js';
import { BLANK_CARD } from '../../../../server/src/engine/port/model-facts.js';
import { type LibraryOptions, ModelLibrary } from '../../../../server/src/models/model-library.js';
import { LoadPlanner } from '../../../../server/src/models/planning/load-planner.js';
import { FIM_TOKENS, type TinyModel, tinyGguf } from '../../../support/models/tiny-gguf.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';
import { estimateOf } from './planning/estimate-of.js';

/** A model of this size, with 100 kB for each token of context. */
const takes =
  (bytes: number): EstimateMemory =>
  async ({ contextLength = 0, chatContextLength = 0 }) =>
    estimateOf(bytes, contextLength, chatContextLength);
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

interface World {
  readonly memoryBytes?: number;
  readonly availableBytes?: number;
  readonly estimateMemory?: EstimateMemory;
  readonly loadRequest?: Omit<LoadRequest, 'path'>;
  readonly starterPath?: string;
  readonly isExamined?: boolean;
  /** By file, in tokens a second. */
  readonly decodeSpeeds?: ReadonlyMap<string, number>;
  readonly prefillSpeeds?: ReadonlyMap<string, number>;
}

function library(world: World = {}): ModelLibrary {
  const { memoryBytes = 16e9, availableBytes = 1e12, estimateMemory = takes(1e8), loadRequest = {} } = world;
  const { starterPath: starterModelPath = starter, isExamined = true } = world;
  const surroundings = { platform: 'linux', home: folder.file('home'), environment: {} } as const;
  const machine = { surroundings, memoryBytes, unifiedMemory: false, threads: 2 };
  const planner = new LoadPlanner({
    estimateMemory,
    examined: { has: async () => isExamined, add: async () => undefined },
    starterModelPath,
    machineBytes: memoryBytes,
    unifiedMemory: false,
    held: () => ({ besidesBytes: 1e8, freedBytes: 0 }),
    availableBytes: () => availableBytes,
    slots: 2,
  });
  const speeds = (measured: ReadonlyMap<string, number>) => ({ byFile: () => measured });
  // planning/gpu-memory.test.ts has machines with a GPU.
  const places: LibraryOptions['places'] = {
    place: async (requested, attempt) => ({ result: await attempt(requested), drawback: null }),
    addedBytes: () => 0,
  };
  const options = {
    starterModelPath,
    machine,
    backend: () => 'CPU',
    usedThreads: () => null,
    isIntegrated: () => false,
    planner,
    places,
    decodeSpeeds: speeds(world.decodeSpeeds ?? new Map()),
    prefillSpeeds: speeds(world.prefillSpeeds ?? new Map()),
  };
  return new ModelLibrary({ ...options, loadRequest: () => ({ path: starter, contextLength: 4096, ...loadRequest }) });
}

describe('the list', () => {
  it('contains the starter model, local models, and the catalogue', async () => {
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

  it('says how fast each model is here, from what the starter model did', async () => {
    const speeds = new Map([[starter, 3000]]);
    const { offers } = await library({ decodeSpeeds: speeds, prefillSpeeds: speeds }).list(null, never);
    expect(offers[0]?.speed).toMatchObject({ tokensPerSecond: 3000, basis: 'measured' });
    expect(offers.at(-1)?.speed.basis).toBe('predicted');
    const gone = new Map([[folder.file('gone.gguf'), 3000]]);
    const other = await library({ decodeSpeeds: gone, prefillSpeeds: gone }).list(null, never);
    expect(other.offers[0]?.speed.basis).toBe('assumed');
  });

  it('has everything else where the file of the starter model is missing', async () => {
    const starterPath = folder.file('gone.gguf');
    const { offers, recommendedId } = await library({ starterPath, memoryBytes: 1e9 }).list(null, never);
    expect(offers[0]).toMatchObject({ id: 'starter', refusal: { code: 'fileNotFound' } });
    expect(offers[0]?.refusal?.message).toBe('Its file is missing. Install Inkling again');
    expect(offers.length).toBeGreaterThan(1);
    expect(recommendedId).toBe('');
    const check = await library({ starterPath, memoryBytes: 1e9 }).check('', null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'fileNotFound' }, alternative: { id: 'starter' } });
  });

  it('recommends the starter model if nothing else fits', async () => {
    expect((await library({ memoryBytes: 1e9 }).list(null, never)).recommendedId).toBe('starter');
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

describe('the card', () => {
  it('has what the file says of its making, and whether it ships with Inkling', async () => {
    const metadata = {
      'general.languages': ['zig'],
      'inkling.training_context_length': 512,
      'inkling.next_edit_format': 'zeta-2',
    };
    const own = write('zig.gguf', { metadata });
    expect(await library().card(own)).toEqual({
      isStarter: false,
      languages: ['zig'],
      trainingContextLength: 512,
      nextEditFormat: 'zeta-2',
    });
    expect(await library().card(starter)).toEqual({ ...BLANK_CARD, isStarter: true });
  });

  it('is blank where the file cannot be read', async () => {
    writeFileSync(folder.file('nothing.gguf'), 'no model');
    expect(await library().card(folder.file('nothing.gguf'))).toEqual(BLANK_CARD);
    expect(await library().card(folder.file('absent.gguf'))).toEqual(BLANK_CARD);
  });
});

describe('the check', () => {
  it('passes usable models, the starter model by an empty path', async () => {
    const good = write('good.gguf');
    expect(await library().check(good, null, never)).toMatchObject({ kind: 'usable', offer: { path: good } });
    expect(await library().check('', null, never)).toMatchObject({ kind: 'usable', offer: { id: 'starter' } });
    const loadRequest = { path: good, contextLength: 4096 };
    expect(await library().plan(loadRequest)).toEqual({ kind: 'fits', options: loadRequest });
  });

  it.each([
    ['an unknown architecture', { architecture: 'wordle' }, 'unsupportedModel', "architecture 'wordle'"],
    ['no text decoder', { architecture: 'bert' }, 'unsupportedModel', 'not a text decoder'],
    [
      'an embedding model',
      { architecture: 'qwen3', metadata: { 'qwen3.pooling_type': 3 } },
      'unsupportedModel',
      'is an embedding model',
    ],
    [
      'a reranker',
      { architecture: 'qwen3', metadata: { 'qwen3.pooling_type': 4 } },
      'unsupportedModel',
      'is a reranker',
    ],
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
    expect(await library().plan({ path: file })).toMatchObject({ kind: 'refused', error: { code } });
  });

  it.each([
    ['says of one with a chat template that it could chat', { 'tokenizer.chat_template': '{{ messages }}' }, true],
    ['says of one without that it could not', {}, false],
  ])('%s', async (_name, metadata, canChat) => {
    const file = write('talker.gguf', { tokens: ['a'], metadata });
    const check = await library().check(file, null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'noFimTokens' }, canChat });
  });

  it('refuses a too large model as soon as its header has arrived', async () => {
    const file = write('huge.gguf', { tensors: [{ name: 'huge.weight', shape: [2 ** 20, 2 ** 13] }], dataBytes: 64 });
    const fast = new Map([[starter, 1e12]]);
    const world = { decodeSpeeds: fast, prefillSpeeds: fast };
    const check = await library(world).check(file, null, never, { partial: true });
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    expect(check.kind === 'refused' && check.error.message).toContain('too much for this machine with 16.0 GB');
    expect(check.kind === 'refused' && check.alternative.memoryBytes).toBeGreaterThan(4e9);
    // Where nothing is known to be fast.
    expect(await library().check(file, null, never, { partial: true })).toMatchObject({
      alternative: { id: 'starter' },
    });
  });

  it('counts the parts of a model that have not arrived', async () => {
    const file = write('split-00001-of-00002.gguf.part');
    const check = (otherBytes: number) => library().check(file, null, never, { partial: true, otherBytes });
    expect(await check(100e6)).toMatchObject({ kind: 'usable' });
    expect(await check(90e9)).toMatchObject({
      kind: 'refused',
      error: { code: 'outOfMemory', message: expect.stringContaining('needs about 90.') },
    });
  });

  it('recommends no model for next edits that has the name of the one it was made from', async () => {
    const metadata = { 'general.name': 'Qwen2.5 Coder 1.5B' };
    const of = async (file: string, more = {}) => {
      const check = await library().check(write(file, { metadata: { ...metadata, ...more } }), null, never);
      return check.kind === 'usable' ? [check.offer.nextEdits, check.offer.fimTrained] : check;
    };
    expect(await of('sweep-next-edit-1.5b.q8_0.gguf')).toEqual([true, false]);
    expect(await of('qwen.gguf')).toEqual([false, true]);
    // A file that says itself how it is asked may be made for both.
    expect(await of('both.gguf', { 'inkling.next_edit_format': 'sweep' })).toEqual([true, true]);
  });

  it("uses the engine's estimate, for the context length in force", async () => {
    const good = write('good.gguf');
    const asked: unknown[] = [];
    const estimateMemory: EstimateMemory = async (options) => {
      if (options.path === good) asked.push(options);
      return takes(15e9)(options);
    };
    const check = await library({ estimateMemory }).check(good, null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' }, contextLength: null });
    expect(check.kind === 'refused' && check.error.message).toContain(
      'needs about 15.5 GB with a context of 4096 tokens, too much for this machine with 16.0 GB',
    );
    expect(asked[0]).toMatchObject({ path: good, contextLength: 4096, requireFim: false });
  });

  it('gives the same number as the list', async () => {
    const good = write('store/good.gguf');
    const same = library({ estimateMemory: takes(2e9) });
    const check = await same.check(good, store, never);
    const listed = (await same.list(store, never)).offers.find(({ id }) => id === good);
    expect(listed?.memoryBytes).toBe(1e8 + 2e9 + 4096 * 1e5);
    expect(check).toMatchObject({ kind: 'usable', offer: { memoryBytes: listed?.memoryBytes } });
  });

  it('refuses what exceeds the free memory', async () => {
    const good = write('good.gguf');
    const short = library({ availableBytes: 1e9, estimateMemory: takes(2e9) });
    const check = await short.check(good, null, never);
    expect(check.kind === 'refused' && check.error.message).toContain('than the 1.1 GB free now');
  });

  it('refuses a file that the engine cannot read', async () => {
    const file = write('store/strange.gguf');
    const failing: EstimateMemory = async ({ path: asked }) => {
      if (asked === file) throw new EngineError('loadFailed', 'A tensor is missing');
      throw new EngineError('addonUnavailable', 'No addon');
    };
    const strange = library({ estimateMemory: failing });
    const check = await strange.check(file, null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'loadFailed', message: 'A tensor is missing' } });
    // Without the engine, the header gives an approximate need.
    expect((await strange.list(null, never)).offers[0]).toMatchObject({ id: 'starter', refusal: null });
  });

  it('refuses what is not a model', async () => {
    const check = await library().check(folder.file('none.gguf'), null, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'fileNotFound' } });
  });
});

describe('the plan', () => {
  const GENEROUS = { path: '', contextLength: 0 } as const;

  it('leaves all options but the length to the engine if there is room', async () => {
    const loadRequest = { ...GENEROUS, path: write('good.gguf'), threads: 3, budgetBytes: 8e9 };
    const { budgetBytes: _, ...options } = loadRequest;
    const contextLength = loadRequest.contextLength || 8192;
    expect(await library().plan(loadRequest)).toEqual({ kind: 'fits', options: { ...options, contextLength } });
    expect(await library().plan({ ...loadRequest, path: starter })).toEqual({
      kind: 'fits',
      options: { ...options, path: starter },
    });
  });

  it('shortens contexts without a setting until they fit the budget', async () => {
    const loadRequest = { ...GENEROUS, path: write('good.gguf'), budgetBytes: 1e9 };
    const plan = await library({ estimateMemory: takes(5e8) }).plan(loadRequest);
    expect(plan).toMatchObject({
      kind: 'fits',
      options: { contextLength: 2048, swapBudgetBytes: expect.any(Number) },
    });
    expect(plan.kind === 'fits' && 'budgetBytes' in plan.options).toBe(false);
  });

  it('looks at a file that was never examined in the other process, however much room there is', async () => {
    const file = write('good.gguf');
    const estimateMemory: EstimateMemory = async () => {
      throw new EngineError('loadFailed', 'The engine cannot read good.gguf');
    };
    const plan = (isExamined: boolean) => library({ estimateMemory, isExamined }).plan({ path: file });
    expect(await plan(false)).toMatchObject({ kind: 'refused', error: { code: 'loadFailed' } });
    expect(await plan(true)).toMatchObject({ kind: 'fits' });
  });

  it.each([
    ['ample', 1e12],
    ['little', 1e9],
  ])('refuses a file that nothing could examine, with %s room, but no other file', async (_room, availableBytes) => {
    const file = write('good.gguf');
    const plan = (code: EngineErrorCode, isExamined: boolean, path = file) => {
      const estimateMemory: EstimateMemory = () => Promise.reject(new EngineError(code, 'No process'));
      return library({ estimateMemory, isExamined, availableBytes }).plan({ path, contextLength: 16_384 });
    };
    const refused = await plan('internal', false);
    expect(refused).toMatchObject({ kind: 'refused', error: { code: 'loadFailed' } });
    expect(refused).toHaveProperty('error.message', expect.stringMatching(/could not be examined first\. No process$/));
    expect(await plan('internal', true)).toMatchObject({ kind: 'fits' });
    expect(await plan('internal', false, starter)).toMatchObject({ kind: 'fits' });
    expect(await plan('addonUnavailable', false)).toMatchObject({ kind: 'fits' });
  });

  it('still lists and checks a file that nothing could examine', async () => {
    const file = write('store/good.gguf');
    const estimateMemory: EstimateMemory = () => Promise.reject(new EngineError('internal', 'No process'));
    const same = library({ estimateMemory, isExamined: false });
    expect((await same.list(store, never)).offers.find(({ id }) => id === file)?.refusal).toBeNull();
    expect(await same.check(file, store, never)).toMatchObject({ kind: 'usable' });
  });

  it('refuses a requested context that does not fit, and names one that would', async () => {
    const loadRequest = { path: write('good.gguf'), contextLength: 8192, budgetBytes: 1e9 };
    const tight = library({ estimateMemory: takes(5e8), loadRequest });
    const plan = await tight.plan(loadRequest);
    expect(plan).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    expect(plan.kind === 'refused' && plan.error.message).toMatch(
      /needs about 1\.4 GB with a context of 8192 tokens, more than the memory budget of 1\.0 GB\. A context of 3840 tokens would fit/,
    );
    expect(await tight.check(loadRequest.path, null, never)).toMatchObject({ kind: 'refused', contextLength: 3840 });
  });

  it('never says that a model needs more than just as much', async () => {
    const loadRequest = { path: write('good.gguf'), contextLength: 8192, budgetBytes: 1.351e9 };
    const plan = await library({ estimateMemory: takes(5e8), loadRequest }).plan(loadRequest);
    expect(plan.kind === 'refused' && plan.error.message).toMatch(
      /needs about 1\.5 GB with a context of 8192 tokens, more than the memory budget of 1\.4 GB/,
    );
  });

  it('does not blame a budget that is larger than the machine', async () => {
    const loadRequest = { path: write('good.gguf'), contextLength: 8192, budgetBytes: 1e15 };
    const check = await library({ estimateMemory: takes(20e9), loadRequest }).check(loadRequest.path, null, never);
    expect(check.kind === 'refused' && check.error.message).toMatch(/, too much for this machine with 16\.0 GB$/);
  });

  it('names another model if no context fits', async () => {
    const loadRequest = { path: write('good.gguf'), budgetBytes: 1e9 };
    const estimateMemory: EstimateMemory = (options) => takes(options.path === starter ? 1e8 : 2e9)(options);
    const plan = await library({ estimateMemory, loadRequest }).plan(loadRequest);
    expect(plan.kind === 'refused' && plan.error.message).toMatch(/\. Starter \(\d+ MB\) would fit$/);
  });

  it('refuses even where the alternatives cannot be listed', async () => {
    const loadRequest = { path: write('good.gguf'), budgetBytes: 1e9 };
    const gone = library({ estimateMemory: takes(2e9), loadRequest, starterPath: folder.file('no-starter.gguf') });
    expect(await gone.plan(loadRequest)).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
  });

  it('limits the starter model, too', async () => {
    const loadRequest = { path: starter, budgetBytes: 4e8 };
    expect(await library({ loadRequest }).plan(loadRequest)).toMatchObject({
      kind: 'fits',
      options: { contextLength: 1024 },
    });
    const less = { path: starter, budgetBytes: 1e8 };
    const plan = await library({ loadRequest: less }).plan(less);
    expect(plan.kind === 'refused' && plan.error.message).toContain('No known model would fit');
  });
});
