import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine, LoadRequest } from '../../../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import { AS_REQUESTED, type LoadPlan, type PlanLoad } from '../../../../../server/src/engine/port/plan-load.js';
import { createSharedEngine } from '../../../../../server/src/engine/shared/shared-engine.js';
import { SharedModels } from '../../../../../server/src/engine/shared/shared-models.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { ScriptedEngine, SILENT } from '../../scripted-engine.js';

/** Windows in one process, with real locks and sockets between them. */
interface Window {
  readonly models: SharedModels;
  readonly engines: ScriptedEngine[];
  readonly losses: unknown[];
}

const ASK = { prompt: ['a'], maxTokens: 1 };
const ignore = (): void => undefined;

let never: AbortSignal;
let folder: TemporaryFolder;
let request: LoadRequest;
const windows: Window[] = [];

beforeEach(() => {
  // Each load listens to it until its end.
  never = new AbortController().signal;
  folder = new TemporaryFolder();
  writeFileSync(folder.file('a.gguf'), 'GGUF');
  request = { path: folder.file('a.gguf'), share: 'on' };
});
afterEach(async () => {
  for (const { models } of windows.splice(0)) await models.close();
  folder.dispose();
});

function open(): Window {
  const engines: ScriptedEngine[] = [];
  const losses: unknown[] = [];
  const models = new SharedModels({
    environment: { XDG_RUNTIME_DIR: folder.path },
    placeOf: () => 'cpu',
    version: '1.0.0',
    createEngine: () => {
      const engine = new ScriptedEngine();
      engines.push(engine);
      return engine;
    },
    onDeviceLost: () => losses.push(null),
    log: SILENT,
  });
  const window = { models, engines, losses };
  windows.push(window);
  return window;
}

async function begin({ models }: Window, plan: PlanLoad = AS_REQUESTED, signal: AbortSignal = never) {
  const planned = await models.around(plan)(request);
  if (planned.kind === 'refused') throw new EngineError(planned.error.code, planned.error.message);
  const engine = createSharedEngine(models, planned.options);
  const progress: number[] = [];
  const loaded = engine.load(planned.options, (fraction) => progress.push(fraction), signal);
  loaded.catch(ignore);
  return { engine, loaded, progress, options: planned.options };
}

async function scripted({ engines }: Window, index = 0): Promise<ScriptedEngine> {
  await expect.poll(() => engines[index]?.loadedWith ?? null).not.toBeNull();
  const engine = engines[index];
  if (engine === undefined) throw new Error('No engine was made');
  return engine;
}

async function pair() {
  const [owner, guest] = [open(), open()];
  const first = await begin(owner);
  const real = await scripted(owner);
  real.finishLoad();
  await first.loaded;
  const second = await begin(guest);
  await second.loaded;
  return { owner, guest, first: first.engine, second: second.engine, real };
}

describe('a load', () => {
  it('is one for all, with its progress, facts and error', async () => {
    const [owner, guest] = [open(), open()];
    const first = await begin(owner);
    const real = await scripted(owner);
    expect(real.loadedWith).toEqual({ path: request.path });
    const second = await begin(guest);
    expect(second.options.offer).toMatchObject({ isPlanned: false });
    // The guest may need a while to connect, and hears of progress from then on.
    for (const share of [0.25, 0.75]) {
      const reported = () => {
        real.reportProgress(share);
        return second.progress.at(-1);
      };
      await expect.poll(reported, { timeout: 5_000 }).toBe(share);
    }
    real.finishLoad();
    expect(await second.loaded).toEqual(await first.loaded);
    expect(guest.engines).toEqual([]);
  });

  it('that fails fails for all, and is tried again by whoever wants to', async () => {
    const [owner, guest] = [open(), open()];
    const first = await begin(owner);
    const real = await scripted(owner);
    const second = await begin(guest);
    await delay(50);
    real.failLoad(new EngineError('notGguf', 'No GGUF'));
    await expect(first.loaded).rejects.toMatchObject({ code: 'notGguf', message: 'No GGUF' });
    await expect(second.loaded).rejects.toMatchObject({ code: 'notGguf', message: 'No GGUF' });
    expect(real.closed).toBe(true);
    const again = await begin(guest);
    (await scripted(guest)).finishLoad();
    expect((await again.loaded).path).toBe(request.path);
  });

  it('that its window cancels is taken over by a window that waits', async () => {
    const [owner, guest] = [open(), open()];
    const controller = new AbortController();
    const first = await begin(owner, AS_REQUESTED, controller.signal);
    await scripted(owner);
    const second = await begin(guest);
    await delay(50);
    controller.abort();
    await expect(first.loaded).rejects.toMatchObject({ code: 'loadCancelled' });
    (await scripted(guest)).finishLoad();
    expect((await second.loaded).path).toBe(request.path);
  });

  it('that a waiting window has taken over is not planned as another one later', async () => {
    const [owner, guest] = [open(), open()];
    const controller = new AbortController();
    await begin(owner, AS_REQUESTED, controller.signal);
    await scripted(owner);
    const second = await begin(guest);
    expect(second.options.offer?.isPlanned).toBe(false);
    await delay(50);
    controller.abort();
    (await scripted(guest)).finishLoad();
    await second.loaded;
    // Such as after a change of a setting that has nothing to do with it.
    expect(await guest.models.around(AS_REQUESTED)(request)).toEqual({ kind: 'fits', options: second.options });
    // Another plan is another load.
    const longer: PlanLoad = async (asked) => ({ kind: 'fits', options: { ...asked, contextLength: 512 } });
    expect(await guest.models.around(longer)(request)).toMatchObject({ options: { contextLength: 512 } });
  });

  it('that a guest cancels goes on for its owner', async () => {
    const [owner, guest] = [open(), open()];
    const first = await begin(owner);
    const real = await scripted(owner);
    const controller = new AbortController();
    const second = await begin(guest, AS_REQUESTED, controller.signal);
    await delay(50);
    controller.abort();
    await expect(second.loaded).rejects.toMatchObject({ code: 'loadCancelled' });
    real.finishLoad();
    expect((await first.loaded).path).toBe(request.path);
    expect(guest.engines).toEqual([]);
  });

  it('that a guest cancels while it looks for the owner does not wait for the owner', async () => {
    const [owner, guest] = [open(), open()];
    await begin(owner);
    await scripted(owner);
    const controller = new AbortController();
    const find = guest.models.find.bind(guest.models);
    vi.spyOn(guest.models, 'find').mockImplementation(async (name) => {
      const found = await find(name);
      controller.abort();
      return found;
    });
    const second = await begin(guest, AS_REQUESTED, controller.signal);
    await expect(second.loaded).rejects.toMatchObject({ code: 'loadCancelled' });
  });

  it('has the drawback of its plan for every window', async () => {
    const [owner, guest, late] = [open(), open(), open()];
    const drawback = { code: 'deviceUnusable', message: 'The processor is used.' } as const;
    const onProcessor: PlanLoad = async (requested) => ({ ...(await AS_REQUESTED(requested)), drawback }) as LoadPlan;
    const first = await begin(owner, onProcessor);
    const real = await scripted(owner);
    const second = await begin(guest);
    real.finishLoad();
    await Promise.all([first.loaded, second.loaded]);
    expect([first, second].map(({ engine }) => engine.drawback?.())).toEqual([drawback, drawback]);
    // The owner plans again while it has a guest, such as after a change of settings.
    expect(await owner.models.around(AS_REQUESTED)(request)).toMatchObject({ kind: 'fits', drawback });

    // A guest takes over by its own plan.
    const third = await begin(late, onProcessor);
    await third.loaded;
    await Promise.all([owner.models.close(), second.engine.close()]);
    const again = await begin(late, onProcessor);
    (await scripted(late)).finishLoad();
    await again.loaded;
    expect(again.engine.drawback?.()).toEqual(drawback);
  });

  it('takes no memory in a guest, so it is not planned there', async () => {
    const { guest } = await pair();
    const full: PlanLoad = async () => ({ kind: 'refused', error: { code: 'outOfMemory', message: 'full' } });
    expect((await guest.models.around(full)(request)).kind).toBe('fits');
    const other = { ...request, threads: 7 };
    expect((await guest.models.around(full)(other)).kind).toBe('refused');
  });
});

describe('a guest', () => {
  it('gets pieces, results, tokens and errors as the engine gives them', async () => {
    const { second, real } = await pair();
    real.pieces = ['one ', 'two'];
    const pieces: string[] = [];
    const expected = await real.generate(ASK, ignore, never);
    expect(await second.generate(ASK, (text) => pieces.push(text), never)).toEqual(expected);
    expect(pieces).toEqual(['one ', 'two']);
    expect(real.requests.at(-1)).toEqual(ASK);
    expect(await second.tokenize('ab')).toEqual(await real.tokenize('ab'));
    expect(await second.detokenize([97, 98])).toBe('ab');
    for (const code of ['promptTooLong', 'decodeFailed', 'deviceFailed', 'notLoaded'] as const) {
      real.failure = new EngineError(code, `It was ${code}`);
      await expect(second.generate(ASK, ignore, never)).rejects.toMatchObject({ code, message: `It was ${code}` });
    }
    real.failure = null;
    await second.release('swapped');
    expect(real.released).toEqual(['swapped']);
    expect(second.memory()).toMatchObject({ totalBytes: 0, elsewhereBytes: 10 });
  });

  it('says that a text is too long for its owner, and stays a guest', async () => {
    const { second } = await pair();
    const long = { code: 'promptTooLong', message: 'This text is too long for another window: 6 MB' };
    const text = 'x'.repeat(5_000_000);
    await expect(second.tokenize(text)).rejects.toMatchObject(long);
    await expect(second.generate({ ...ASK, prompt: [text] }, ignore, never)).rejects.toMatchObject(long);
    expect(await second.tokenize('ab')).toHaveLength(2);
  });

  it('aborts in the owner', async () => {
    const { second, real } = await pair();
    let open: () => void = ignore;
    real.gate = new Promise((resolve) => {
      open = resolve;
    });
    const controller = new AbortController();
    const pending = second.generate(ASK, ignore, controller.signal);
    await expect.poll(() => real.requests.length).toBe(1);
    controller.abort();
    await delay(20);
    open();
    expect((await pending).stopReason).toBe('aborted');
  });

  it('ends its owner, not itself, where the GPU is lost', async () => {
    const { owner, guest, second, real } = await pair();
    real.failure = new EngineError('deviceLost', 'Gone');
    await expect(second.generate(ASK, ignore, never)).rejects.toMatchObject({ code: 'ownerLost' });
    expect([owner.losses.length, guest.losses.length]).toEqual([1, 0]);
  });

  it('hears of the end of its owner, unless it left before', async () => {
    const { owner, first, second } = await pair();
    let ends = 0;
    second.onDidEnd?.(() => {
      ends += 1;
    });
    const other = open();
    const third: { readonly engine: Engine; readonly loaded: Promise<unknown> } = await begin(other);
    await third.loaded;
    third.engine.onDidEnd?.(() => {
      ends += 100;
    });
    await third.engine.close();
    await owner.models.close();
    await expect.poll(() => ends).toBe(1);
    await expect(second.generate(ASK, ignore, never)).rejects.toMatchObject({ code: 'ownerLost' });
    await first.close();
  });
});

describe('a guest', () => {
  it('knows from its load on what the owner holds', async () => {
    const { second, real } = await pair();
    expect(second.memory()?.elsewhereBytes).toBe(real.memory().totalBytes);
  });
});

describe('an owner', () => {
  it('keeps the model for its guests, takes it up again, and frees it after the last', async () => {
    const { owner, first, second, real } = await pair();
    expect(owner.models.keptMemory()).toEqual([]);
    await first.close();
    expect(real.closed).toBe(false);
    expect(owner.models.keptMemory()).toEqual([real.memory()]);
    expect((await second.generate(ASK, ignore, never)).text).toBe('text');
    const again = await begin(owner);
    expect((await again.loaded).path).toBe(request.path);
    expect(owner.engines).toHaveLength(1);
    expect(owner.models.keptMemory()).toEqual([]);
    await again.engine.close();
    await second.close();
    await expect.poll(() => real.closed).toBe(true);
  });

  it('counts as used while a guest uses its model', async () => {
    const { first, second, real } = await pair();
    expect([first.idleElsewhereMs?.(), second.idleElsewhereMs?.()]).toEqual([Infinity, Infinity]);
    let open: () => void = ignore;
    real.gate = new Promise((resolve) => {
      open = resolve;
    });
    const pending = second.generate(ASK, ignore, never);
    await expect.poll(() => first.idleElsewhereMs?.()).toBe(0);
    open();
    await pending;
    expect(first.idleElsewhereMs?.()).toBeGreaterThan(0);
    expect(first.idleElsewhereMs?.()).toBeLessThan(60_000);
  });

  it('gives up what it keeps for others where another model does not fit beside it', async () => {
    const { owner, first, second, real } = await pair();
    let ended = false;
    second.onDidEnd?.(() => {
      ended = true;
    });
    await first.close();
    const plan: PlanLoad = async (options) =>
      real.closed ? AS_REQUESTED(options) : { kind: 'refused', error: { code: 'outOfMemory', message: 'full' } };
    writeFileSync(folder.file('b.gguf'), 'GGUF');
    request = { ...request, path: folder.file('b.gguf') };
    const other = await begin(owner, plan);
    (await scripted(owner, 1)).finishLoad();
    expect((await other.loaded).path).toBe(request.path);
    await expect.poll(() => ended).toBe(true);
  });

  it('gives them up where the engine finds that out itself', async () => {
    const { owner, first, real } = await pair();
    await first.close();
    writeFileSync(folder.file('b.gguf'), 'GGUF');
    request = { ...request, path: folder.file('b.gguf') };
    const other = await begin(owner);
    (await scripted(owner, 1)).failLoad(new EngineError('outOfMemory', 'full'));
    await expect.poll(() => real.closed).toBe(true);
    (await scripted(owner, 2)).finishLoad();
    expect((await other.loaded).path).toBe(request.path);
  });
});
