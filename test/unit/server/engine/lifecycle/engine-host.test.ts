import { expect, it, vi } from 'vitest';
import type { EngineState } from '../../../../../server/protocol/index.js';
import { whenDeviceIsLost } from '../../../../../server/src/engine/lifecycle/device-loss.js';
import { createEngineHost } from '../../../../../server/src/engine/lifecycle/engine-host.js';
import type { LoadRequest } from '../../../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import type { GenerateRequest } from '../../../../../server/src/engine/port/generation.js';
import type { LoadPlan, PlanLoad } from '../../../../../server/src/engine/port/plan-load.js';
import { ScriptedEngine, SILENT } from '../../scripted-engine.js';
import { createHost, ignore, loadedHost, never, ONE, REQUEST, settle, TWO } from './loaded-host.js';

it('loads the model that is wanted and reports progress in steps', async () => {
  const { host, engines } = createHost();
  const states: unknown[] = [];
  host.lifecycle.onDidChange(() => states.push(host.lifecycle.state));
  host.lifecycle.want(ONE);
  await settle();
  for (const fraction of [0.01, 0.02, 0.5, 0.51, 0.98, 1, 1]) engines[0]?.reportProgress(fraction);
  engines[0]?.finishLoad();
  await settle();
  const loading = [0, 0.5, 0.98, 1].map((progress) => ({ kind: 'loading', progress }));
  expect(states).toEqual([...loading, { kind: 'ready' }]);
  expect(host.client.facts?.path).toBe('/one.gguf');
  expect(host.client.memory()?.weightsBytes).toBe(1);
});

it('refuses work until a model is loaded', async () => {
  const { host } = createHost();
  expect(host.client.facts).toBeNull();
  expect(host.client.memory()).toBeNull();
  await expect(host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code: 'notLoaded' });
});

it('does nothing when the same model is requested again', async () => {
  const { host, engines } = await loadedHost();
  host.lifecycle.want({ ...ONE });
  await settle();
  expect(engines).toHaveLength(1);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

/** One row for each option: a forgotten one is a type error. */
const OTHER_OPTIONS: { readonly [Name in keyof Required<LoadRequest>]: NonNullable<LoadRequest[Name]> } = {
  path: '/two.gguf',
  threads: 3,
  contextLength: 4096,
  chatContextLength: 2048,
  checkpointBudgetBytes: 1e6,
  swapBudgetBytes: 1e6,
  device: 'Vulkan0',
  gpuLayers: 0,
  deviceSetting: 'auto',
  deviceBytes: 0,
  requireFim: false,
  budgetBytes: 1e9,
  suggestionTokens: 2048,
  remote: { url: 'http://gpu:8080', kind: 'auto', model: '' },
  offer: { name: 'another', isPlanned: true },
  share: 'on',
};
const eachOption = Object.entries(OTHER_OPTIONS).map(([name, value]) => ({ name, value }));

/** The plan turns them into others. */
const PLANNED = ['budgetBytes', 'suggestionTokens', 'deviceSetting', 'deviceBytes', 'share'];

it.each(eachOption.filter(({ name }) => !PLANNED.includes(name)))('reloads for another $name', async (option) => {
  const { host, engines } = await loadedHost();
  host.lifecycle.want({ ...ONE, [option.name]: option.value });
  await settle();
  expect(engines).toHaveLength(2);
  host.lifecycle.want({ ...ONE, [option.name]: option.value });
  await settle();
  expect(engines).toHaveLength(2);
});

it.each(eachOption)('asks for a plan for another $name, and keeps the model if it is the same', async (option) => {
  const asks: LoadRequest[] = [];
  const { host, engines } = await loadedHost(async (loadRequest) => {
    asks.push(loadRequest);
    return fits(ONE);
  });
  host.lifecycle.want({ ...ONE, [option.name]: option.value });
  await settle();
  expect(asks.slice(1)).toEqual([{ ...ONE, [option.name]: option.value }]);
  expect(engines).toHaveLength(1);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it("loads with the plan's options", async () => {
  const { engine } = await loadedHost(async (loadRequest) => fits({ ...loadRequest, contextLength: 1024 }));
  expect(engine.loadedWith).toEqual({ ...ONE, contextLength: 1024 });
});

it('plans again where others have made room for a refused model, and says to them why it was refused', async () => {
  const asked: unknown[] = [];
  let room = false;
  const plan: PlanLoad = async (options) => (room ? fits(options) : { kind: 'refused', error: REFUSAL });
  const engine = new ScriptedEngine();
  const host = createEngineHost(
    () => engine,
    SILENT,
    plan,
    async (loadRequest, refusal) => {
      asked.push([loadRequest, refusal]);
      room = asked.length > 1;
      return room;
    },
  );
  host.lifecycle.want(ONE);
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: REFUSAL });
  host.lifecycle.want(TWO);
  await settle();
  expect(asked).toEqual([
    [ONE, REFUSAL],
    [TWO, REFUSAL],
  ]);
  expect(engine.loadedWith).toEqual(TWO);
});

it('closes the old engine before it loads another model', async () => {
  const { host, engines, engine } = await loadedHost();
  host.lifecycle.want(TWO);
  await settle();
  expect(engine.closed).toBe(true);
  expect(host.lifecycle.state).toEqual({ kind: 'loading', progress: 0 });
  engines[1]?.finishLoad();
  await settle();
  expect(host.client.facts?.path).toBe('/two.gguf');
});

it('cancels a load that is no longer wanted, and skips replaced ones', async () => {
  const { host, engines } = createHost();
  host.lifecycle.want(ONE);
  await settle();
  host.lifecycle.want(TWO);
  host.lifecycle.want({ ...TWO, threads: 2 });
  await settle();
  expect(engines).toHaveLength(2);
  expect(engines[0]?.closed).toBe(true);
  engines[0]?.reportProgress(0.9);
  expect(host.lifecycle.state).toEqual({ kind: 'loading', progress: 0 });
  engines[1]?.finishLoad();
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('reports a failed load, and loads another model afterwards', async () => {
  const { host, engines } = createHost();
  host.lifecycle.want(ONE);
  await settle();
  engines[0]?.failLoad(new EngineError('notGguf', 'No GGUF'));
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: { code: 'notGguf', message: 'No GGUF' } });
  expect(engines[0]?.closed).toBe(true);
  host.lifecycle.want(TWO);
  await settle();
  engines[1]?.finishLoad();
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

const REFUSAL = { code: 'noFimTokens', message: 'No FIM' } as const;
const fits = (options: LoadRequest): LoadPlan => ({ kind: 'fits', options });
const refuseTwo: PlanLoad = async (loadRequest) =>
  loadRequest.path === TWO.path ? { kind: 'refused', error: REFUSAL } : fits(loadRequest);

it('keeps the working model when the next one is refused, and reports why', async () => {
  const { host, engines, engine } = await loadedHost(refuseTwo);
  host.lifecycle.want(TWO);
  await settle();
  expect(engines).toHaveLength(1);
  expect(engine.closed).toBe(false);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: REFUSAL });
  expect(host.client.facts?.path).toBe(ONE.path);
  await host.client.generate(REQUEST, ignore, never);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: REFUSAL });

  host.lifecycle.want(ONE);
  await settle();
  expect(engines).toHaveLength(1);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('keeps the working model until the next one is known to fit', async () => {
  let pass: () => void = ignore;
  const planned = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const { host, engine } = await loadedHost(async (loadRequest) => {
    if (loadRequest.path === TWO.path) await planned;
    return fits(loadRequest);
  });
  host.lifecycle.want(TWO);
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  expect((await host.client.generate(REQUEST, ignore, never)).text).toBe('text');
  pass();
  await settle();
  expect(engine.closed).toBe(true);
});

it('reports a refused model without a loaded one', async () => {
  const { host, engines } = createHost(refuseTwo);
  host.lifecycle.want(TWO);
  await settle();
  expect(engines).toHaveLength(0);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: REFUSAL });
});

it('reloads the old model when the next one fails to load', async () => {
  const { host, engines } = await loadedHost();
  host.lifecycle.want(TWO);
  await settle();
  engines[1]?.failLoad(new EngineError('loadFailed', 'No luck'));
  await settle();
  engines[2]?.finishLoad();
  await settle();
  expect(host.client.facts?.path).toBe(ONE.path);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: { code: 'loadFailed', message: 'No luck' } });
});

it('reports an engine that cannot be created', async () => {
  const host = createEngineHost(() => {
    throw new EngineError('addonUnavailable', 'No addon');
  }, SILENT);
  host.lifecycle.want(ONE);
  await settle();
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code: 'addonUnavailable' } });
});

function closedGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = ignore;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

it.each<[string, readonly GenerateRequest['priority'][], EngineState]>([
  ['nobody', ['background'], { kind: 'working', work: 'background' }],
  ['a suggestion', ['completion'], { kind: 'working' }],
  ['an answer', ['chat'], { kind: 'working', work: 'answer' }],
  ['an answer before what nobody waits for', ['background', 'chat'], { kind: 'working', work: 'answer' }],
  ['a suggestion before an answer', ['chat', 'completion', 'background'], { kind: 'working' }],
])('says that it works for %s', async (_, priorities, state) => {
  const { host, engine } = await loadedHost();
  const gate = closedGate();
  engine.gate = gate.opened;
  const running = priorities.map((priority) => host.client.generate({ ...REQUEST, priority }, ignore, never));
  expect(host.lifecycle.state).toEqual(state);
  gate.open();
  await Promise.all(running);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('hides no error behind work that nobody waits for', async () => {
  const { host, engine } = await loadedHost();
  engine.failure = new EngineError('decodeFailed', 'No decode');
  await expect(host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code: 'decodeFailed' });
  const gate = closedGate();
  engine.gate = gate.opened;
  const running = host.client.generate({ ...REQUEST, priority: 'background' }, ignore, never);
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code: 'decodeFailed' } });
  const suggestion = host.client.generate({ ...REQUEST, priority: 'completion' }, ignore, never);
  expect(host.lifecycle.state).toEqual({ kind: 'working' });
  gate.open();
  await Promise.all([running, suggestion]);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('says that it works for a conversation on another machine', async () => {
  const { host, engine } = await loadedHost();
  const gate = closedGate();
  Object.assign(engine, { converse: () => gate.opened.then(() => ({ stopReason: 'endOfText', metrics: {} })) });
  const conversation = { messages: [], maxTokens: 1, temperature: 0, topP: 1, topK: 1, think: false };
  const running = host.client.converse(conversation, ignore, never);
  expect(host.lifecycle.state).toEqual({ kind: 'working', work: 'answer' });
  gate.open();
  await running;
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('shows a failed generation until the next one succeeds', async () => {
  const { host, engine } = await loadedHost();
  engine.failure = new EngineError('decodeFailed', 'No decode');
  await expect(host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code: 'decodeFailed' });
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code: 'decodeFailed' } });
  await host.client.generate(REQUEST, ignore, never);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it.each([
  ['deviceFailed', 0],
  ['deviceLost', 1],
] as const)('after %s, gives the process up %i times', async (code, times) => {
  const { host, engine } = await loadedHost();
  const act = vi.fn();
  whenDeviceIsLost(host.lifecycle, act);
  engine.failure = new EngineError(code, 'Failed on the GPU');
  await expect(host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code });
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code } });
  expect(act).toHaveBeenCalledTimes(times);
});

it('does not report an engine failure for a request that cannot be answered', async () => {
  const { host, engine } = await loadedHost();
  engine.failure = new EngineError('promptTooLong', 'Too long');
  await expect(host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code: 'promptTooLong' });
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('closes in every state, and stays closed', async () => {
  const loaded = await loadedHost();
  await loaded.host.lifecycle.close();
  expect(loaded.engine.closed).toBe(true);

  const loading = createHost();
  loading.host.lifecycle.want(ONE);
  await settle();
  await loading.host.lifecycle.close();
  expect(loading.engines[0]?.closed).toBe(true);
  loading.host.lifecycle.want(TWO);
  await settle();
  expect(loading.engines).toHaveLength(1);

  const idle = createHost();
  await idle.host.lifecycle.close();
  await idle.host.lifecycle.close();
  await expect(idle.host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code: 'notLoaded' });
});

it('frees memory of the loaded engine, and does nothing without one', async () => {
  const { host: empty } = createHost();
  await empty.client.release('chat');
  const { host, engine } = await loadedHost();
  await host.client.release('checkpoints');
  expect(engine.released).toEqual(['checkpoints']);
});

const CRASHED = { code: 'modelCrashed', message: 'it crashed' } as const;

it('lets another model serve in place of one that crashed, and says why', async () => {
  const engines: ScriptedEngine[] = [];
  let isCrashed = true;
  const host = createEngineHost(
    () => {
      const engine = new ScriptedEngine();
      engines.push(engine);
      return engine;
    },
    SILENT,
    async (options) => (isCrashed && options.path === ONE.path ? { kind: 'refused', error: CRASHED } : fits(options)),
    undefined,
    (requested, { code }) => (code === 'modelCrashed' ? { ...requested, path: TWO.path } : null),
  );
  host.lifecycle.want(ONE);
  await settle();
  engines[0]?.finishLoad();
  await settle();
  expect(host.client.facts?.path).toBe(TWO.path);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: CRASHED });
  isCrashed = false;
  host.lifecycle.planAgain();
  await settle();
  engines[1]?.finishLoad();
  await settle();
  expect(engines[0]?.closed).toBe(true);
  expect(host.client.facts?.path).toBe(ONE.path);
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it.each(['a plan that rejects', 'a listener that throws'])('goes on after %s', async (fault) => {
  let isBroken = true;
  const { host, engines } = createHost(async (options) => {
    if (isBroken && fault.startsWith('a plan')) throw new Error('the plan broke');
    return fits(options);
  });
  host.lifecycle.onDidChange(() => {
    if (isBroken && fault.startsWith('a listener')) throw new Error('the listener broke');
  });
  host.lifecycle.want(ONE);
  await settle();
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code: 'internal' } });
  isBroken = false;
  host.lifecycle.want(TWO);
  await settle();
  engines.at(-1)?.finishLoad();
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  expect(host.client.facts?.path).toBe('/two.gguf');
  await host.lifecycle.close();
});
