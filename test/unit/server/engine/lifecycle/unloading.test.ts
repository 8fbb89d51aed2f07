import { describe, expect, it } from 'vitest';
import { createEngineHost } from '../../../../../server/src/engine/lifecycle/engine-host.js';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import type { PlanLoad } from '../../../../../server/src/engine/port/plan-load.js';
import { ScriptedEngine, SILENT } from '../../scripted-engine.js';
import { createHost, ignore, loadedHost, never, ONE, REQUEST, settle, TWO } from './loaded-host.js';

it("closes the engine, keeps the model's facts, and reloads it for a request", async () => {
  const { host, engines } = await loadedHost();
  await host.lifecycle.unload('idle');
  expect(engines[0]?.closed).toBe(true);
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'idle' });
  expect([host.client.facts, host.lifecycle.knownFacts?.path, host.client.memory()]).toEqual([null, ONE.path, null]);

  const waiting = host.lifecycle.wakeAndWait(false, never);
  expect(host.lifecycle.state).toEqual({ kind: 'loading', progress: 0 });
  await settle();
  engines[1]?.finishLoad();
  await waiting;
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  expect((await host.client.generate(REQUEST, ignore, never)).text).toBe('text');
  expect(engines).toHaveLength(2);
});

it('loads once for any number of requests, and lets each of them abort', async () => {
  const { host, engines } = await loadedHost();
  await host.lifecycle.unload('idle');
  const abort = new AbortController();
  const first = host.lifecycle.wakeAndWait(false, abort.signal);
  const second = host.lifecycle.wakeAndWait(false, never);
  abort.abort();
  await first;
  await settle();
  expect(engines).toHaveLength(2);
  engines[1]?.finishLoad();
  await second;
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('ends all waits for a model that fails to return', async () => {
  const { host, engines } = await loadedHost();
  await host.lifecycle.unload('idle');
  const waiting = host.lifecycle.wakeAndWait(false, never);
  await settle();
  engines[1]?.failLoad(new EngineError('fileNotFound', 'Gone'));
  await waiting;
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code: 'fileNotFound' } });
});

it('plans again when it returns', async () => {
  let contextLength = 8192;
  const { host, engines } = await loadedHost(async (loadRequest) => ({
    kind: 'fits',
    options: { ...loadRequest, contextLength },
  }));
  expect(engines[0]?.loadedWith?.contextLength).toBe(8192);
  await host.lifecycle.unload('idle');
  contextLength = 2048;
  host.lifecycle.wake(false);
  await settle();
  expect(engines[1]?.loadedWith?.contextLength).toBe(2048);
});

it.each(['the plan', 'the load'])(
  'stays unloaded if memory is short now, according to %s, and returns later',
  async (by) => {
    const shortage = new EngineError('outOfMemory', 'Needs more');
    let short = false;
    const { host, engines } = await loadedHost(async (loadRequest) =>
      short && by === 'the plan' ? { kind: 'refused', error: shortage.info } : { kind: 'fits', options: loadRequest },
    );
    await host.lifecycle.unload('idle');
    short = true;
    const waiting = host.lifecycle.wakeAndWait(true, never);
    await settle();
    engines[1]?.failLoad(shortage);
    await waiting;
    expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'memoryPressure' });

    short = false;
    host.lifecycle.pressureIsOver();
    host.lifecycle.wake(false);
    await settle();
    engines.at(-1)?.finishLoad();
    await settle();
    expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  },
);

it.each([
  ['idle', true],
  ['battery', true],
  ['user', false],
  ['memoryPressure', false],
] as const)('after %s, comes back by itself: %s; when asked, always', async (reason, byItself) => {
  const { host } = await loadedHost();
  await host.lifecycle.unload(reason);
  host.lifecycle.wake(false);
  expect(host.lifecycle.state.kind).toBe(byItself ? 'loading' : 'unloaded');
  host.lifecycle.wake(true);
  expect(host.lifecycle.state.kind).toBe('loading');
});

it('comes back automatically once memory is no longer short', async () => {
  const { host } = await loadedHost();
  await host.lifecycle.unload('memoryPressure');
  host.lifecycle.pressureIsOver();
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'idle' });
});

it('is not unloaded while it works, except by the user', async () => {
  const { host, engines } = await loadedHost();
  let open: () => void = ignore;
  engines[0]!.gate = new Promise((resolve) => {
    open = resolve;
  });
  const working = host.client.generate(REQUEST, ignore, never);
  expect(host.client.idleMs).toBe(0);
  await host.lifecycle.unload('idle');
  expect(host.lifecycle.state).toEqual({ kind: 'working' });
  await host.lifecycle.unload('user');
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'user' });
  open();
  await working;
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'user' });
});

it('loads another requested model, and reloads the unloaded one if that fails', async () => {
  const { host, engines } = await loadedHost();
  await host.lifecycle.unload('user');
  host.lifecycle.want(TWO);
  await settle();
  engines[1]?.failLoad(new EngineError('loadFailed', 'No luck'));
  await settle();
  engines[2]?.finishLoad();
  await settle();
  expect(host.client.facts?.path).toBe(ONE.path);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: { code: 'loadFailed', message: 'No luck' } });
});

it('is replaced by another model while it returns', async () => {
  const { host, engines } = await loadedHost();
  await host.lifecycle.unload('idle');
  const waiting = host.lifecycle.wakeAndWait(false, never);
  await settle();
  host.lifecycle.want(TWO);
  await waiting;
  await settle();
  engines.at(-1)?.finishLoad();
  await settle();
  expect(host.client.facts?.path).toBe(TWO.path);
});

it('closes while it is unloaded, and while it returns', async () => {
  const unloaded = await loadedHost();
  await unloaded.host.lifecycle.unload('idle');
  await unloaded.host.lifecycle.close();
  unloaded.host.lifecycle.wake(true);
  await settle();
  expect(unloaded.engines).toHaveLength(1);

  const returning = await loadedHost();
  await returning.host.lifecycle.unload('idle');
  returning.host.lifecycle.wake(false);
  await settle();
  await returning.host.lifecycle.close();
  expect(returning.engines[1]?.closed).toBe(true);
});

it('does not bring back a model that another one replaces meanwhile', async () => {
  let finishPlan: () => void = ignore;
  const planned = new Promise<void>((resolve) => {
    finishPlan = resolve;
  });
  const { host, engines } = await loadedHost(async (loadRequest) => {
    if (loadRequest.path === TWO.path) await planned;
    return { kind: 'fits', options: loadRequest };
  });
  await host.lifecycle.unload('idle');
  host.lifecycle.want(TWO);
  await settle();
  host.lifecycle.wake(true);
  finishPlan();
  await settle();
  engines[1]?.finishLoad();
  await settle();
  expect(engines).toHaveLength(2);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  expect(host.lifecycle.knownFacts?.path).toBe(TWO.path);
});

/** A host whose model was unloaded, and that plans `TWO` until the returned function is called. */
async function unloadedWhilePlanning(refusal: EngineError | null = null) {
  let finishPlan: () => void = ignore;
  const planned = new Promise<void>((resolve) => {
    finishPlan = resolve;
  });
  const { host, engines } = await loadedHost(async (loadRequest) => {
    if (loadRequest.path !== TWO.path) return { kind: 'fits', options: loadRequest };
    await planned;
    return refusal === null ? { kind: 'fits', options: loadRequest } : { kind: 'refused', error: refusal.info };
  });
  await host.lifecycle.unload('idle');
  host.lifecycle.want(TWO);
  await settle();
  return { host, engines, finishPlan };
}

it('says why another model was refused, also where a key has woken the unloaded one meanwhile', async () => {
  const { host, engines, finishPlan } = await unloadedWhilePlanning(new EngineError('outOfMemory', 'Too large'));
  const waiting = host.lifecycle.wakeAndWait(false, never);
  finishPlan();
  await settle();
  expect(engines[1]?.loadedWith?.path).toBe(ONE.path);
  engines[1]?.finishLoad();
  await waiting;
  await settle();
  expect(engines).toHaveLength(2);
  expect(host.client.facts?.path).toBe(ONE.path);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: { code: 'outOfMemory', message: 'Too large' } });
});

it('cancels the load of a model that another one replaces, also after a key', async () => {
  const { host, engines, finishPlan } = await unloadedWhilePlanning();
  host.lifecycle.wake(false);
  host.lifecycle.want({ ...ONE, path: '/three.gguf' });
  finishPlan();
  await settle();
  expect(engines.map((engine) => engine.loadedWith?.path)).toEqual([ONE.path, '/three.gguf']);
});

it.each(['forget', 'close'] as const)('loads nothing for a key that comes after %s', async (end) => {
  const { host, engines } = await loadedHost();
  const unloaded = host.lifecycle.unload('idle');
  await Promise.resolve();
  await Promise.resolve();
  expect(host.lifecycle.state.kind).toBe('unloaded');
  const ended = host.lifecycle[end]();
  host.lifecycle.wake(true);
  await Promise.all([unloaded, ended]);
  await settle();
  expect(engines).toHaveLength(1);
  expect(host.lifecycle.state).toEqual({ kind: 'loading', progress: 0 });
});

it.each(['user', 'idle', 'memoryPressure'] as const)(
  'stays unloaded when a setting of the same model changes, which counts from its return on: %s',
  async (reason) => {
    const { host, engines } = await loadedHost();
    await host.lifecycle.unload(reason);
    host.lifecycle.want({ ...ONE, threads: 3 });
    await settle();
    expect(engines).toHaveLength(1);
    expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason });
    host.lifecycle.wake(true);
    await settle();
    expect(engines[1]?.loadedWith?.threads).toBe(3);
  },
);

it('is loaded where the user chooses it again after another one was refused', async () => {
  const { host, engines, finishPlan } = await unloadedWhilePlanning(new EngineError('outOfMemory', 'Too large'));
  finishPlan();
  await settle();
  engines[1]?.finishLoad();
  await settle();
  await host.lifecycle.unload('user');
  host.lifecycle.want({ ...ONE, threads: 3 });
  await settle();
  expect(engines[2]?.loadedWith?.threads).toBe(3);
});

it('closes what came back by another plan, such as for the processor', async () => {
  const engines: ScriptedEngine[] = [];
  const make = () => {
    const engine = new ScriptedEngine();
    engines.push(engine);
    return engine;
  };
  let refusals = 0;
  const plan: PlanLoad = async (loadRequest) => {
    const error = { code: 'outOfMemory', message: 'Needs more' } as const;
    return refusals-- > 0 ? { kind: 'refused', error } : { kind: 'fits', options: loadRequest };
  };
  const host = createEngineHost(make, SILENT, plan, undefined, (loadRequest) => loadRequest);
  host.lifecycle.want(ONE);
  await settle();
  engines[0]?.finishLoad();
  await settle();
  await host.lifecycle.unload('idle');
  refusals = 1;
  host.lifecycle.wake(false);
  await settle();
  engines[1]?.finishLoad();
  await settle();
  expect(host.client.facts?.path).toBe(ONE.path);
  await host.lifecycle.close();
  expect(engines.map(({ closed }) => closed)).toEqual([true, true]);
});

describe('by the command to load', () => {
  it.each([
    ['nothing else is loaded', false],
    ['another model is in its place', true],
  ])('a refused model is tried once more: %s', async (_, hasOther) => {
    let refusal: EngineError | null = new EngineError('outOfMemory', 'Needs 8 GB, 5 GB free');
    const plan: PlanLoad = async (loadRequest) =>
      refusal === null || loadRequest.path === ONE.path
        ? { kind: 'fits', options: loadRequest }
        : { kind: 'refused', error: refusal.info };
    const { host, engines } = hasOther ? await loadedHost(plan) : createHost(plan);
    host.lifecycle.want(TWO);
    await settle();
    const before = engines.length;
    host.lifecycle.load();
    await settle();
    expect(engines).toHaveLength(before);
    expect(host.lifecycle.state).toEqual({ kind: 'error', error: refusal.info });
    // The user has closed other programs.
    refusal = null;
    host.lifecycle.load();
    await settle();
    engines.at(-1)?.finishLoad();
    await settle();
    expect(host.lifecycle.state).toEqual({ kind: 'ready' });
    expect(host.client.facts?.path).toBe(TWO.path);
  });

  it('a file that could not be read is read again', async () => {
    const { host, engines } = createHost();
    host.lifecycle.want(ONE);
    await settle();
    engines[0]?.failLoad(new EngineError('fileNotFound', 'The drive is not there'));
    await settle();
    host.lifecycle.load();
    await settle();
    engines[1]?.finishLoad();
    await settle();
    expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  });

  it('a loaded model stays, and an unloaded one comes back', async () => {
    const { host, engines } = await loadedHost();
    host.lifecycle.load();
    await settle();
    expect(engines).toHaveLength(1);
    await host.lifecycle.unload('user');
    host.lifecycle.load();
    await settle();
    engines[1]?.finishLoad();
    await settle();
    expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  });
});
