import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEngineHost, type EngineHost } from '../../../../../server/src/engine/lifecycle/engine-host.js';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import { Reconnector } from '../../../../../server/src/engine/remote/reconnector.js';
import { ScriptedEngine, SILENT } from '../../scripted-engine.js';

const REMOTE = { path: 'http://gpu:8080', remote: { url: 'http://gpu:8080', kind: 'auto', model: '' } } as const;
const LOCAL = { path: '/one.gguf', threads: 0, contextLength: 0 };
const REQUEST = { prompt: ['a'], maxTokens: 1 };
const never = new AbortController().signal;
const gone = () => new EngineError('remoteUnreachable', 'gpu:8080 refused the connection');

let engines: ScriptedEngine[];
let host: EngineHost;
let reconnector: Reconnector;

beforeEach(() => {
  vi.useFakeTimers();
  engines = [];
  host = createEngineHost(() => {
    const engine = new ScriptedEngine();
    engines.push(engine);
    return engine;
  }, SILENT);
  reconnector = new Reconnector(host.lifecycle);
});
afterEach(() => {
  reconnector.dispose();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);

async function connected(): Promise<void> {
  host.lifecycle.want(REMOTE);
  await settle();
  engines[0]?.finishLoad();
  await settle();
}

it('is retried automatically at growing intervals, with an unchanged status', async () => {
  host.lifecycle.want(REMOTE);
  await settle();
  engines[0]?.failLoad(gone());
  await settle();
  expect(host.lifecycle.state).toMatchObject({ kind: 'error', error: { code: 'remoteUnreachable' } });
  for (const [attempt, seconds] of [1, 2, 4, 8].entries()) {
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(engines).toHaveLength(attempt + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(engines).toHaveLength(attempt + 2);
    expect(host.lifecycle.state.kind).toBe('error');
    engines.at(-1)?.failLoad(gone());
    await settle();
  }
  await vi.advanceTimersByTimeAsync(16_000);
  engines.at(-1)?.finishLoad();
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(engines).toHaveLength(6);
});

it("is lost when a request gets no connection, and answers the user's next request", async () => {
  await connected();
  if (engines[0]) engines[0].failure = gone();
  await expect(host.client.generate(REQUEST, () => undefined, never)).rejects.toMatchObject({
    code: 'remoteUnreachable',
  });
  expect([host.lifecycle.state.kind, host.client.facts, engines[0]?.closed]).toEqual(['error', null, true]);
  // A typed key does not wait; a request by command waits for the attempt.
  await host.lifecycle.wakeAndWait(false, never);
  expect(engines).toHaveLength(1);
  const asked = host.lifecycle.wakeAndWait(true, never);
  await settle();
  engines[1]?.finishLoad();
  await asked;
  await expect(host.client.generate(REQUEST, () => undefined, never)).resolves.toMatchObject({ text: 'text' });
});

it.each([
  [
    'counts',
    (engine: ScriptedEngine) => (engine.tokenize = () => Promise.reject(gone())),
    () => host.client.tokenize('a'),
  ],
  [
    'spells',
    (engine: ScriptedEngine) => (engine.detokenize = () => Promise.reject(gone())),
    () => host.client.detokenize([1]),
  ],
] as const)('is lost when who %s tokens finds nobody there', async (_name, leave, ask) => {
  await connected();
  leave(engines[0]!);
  await expect(ask()).rejects.toMatchObject({ code: 'remoteUnreachable' });
  expect([host.lifecycle.state, engines[0]?.closed]).toMatchObject([{ error: { code: 'remoteUnreachable' } }, true]);
  // It is retried automatically.
  await vi.advanceTimersByTimeAsync(1000);
  engines[1]?.finishLoad();
  await settle();
  expect(await host.client.tokenize('a')).toEqual([97]);
});

it('is kept if its tokenizer fails in another way, which does not affect the last suggestion', async () => {
  await connected();
  if (engines[0]) engines[0].tokenize = () => Promise.reject(new EngineError('remoteFailed', 'no'));
  await expect(host.client.tokenize('a')).rejects.toMatchObject({ code: 'remoteFailed' });
  expect([host.lifecycle.state, engines[0]?.closed]).toEqual([{ kind: 'ready' }, false]);
});

it('is kept if a request was too slow, or failed for another reason', async () => {
  await connected();
  for (const code of ['remoteSlow', 'remoteFailed', 'remoteUnauthorized'] as const) {
    if (engines[0]) engines[0].failure = new EngineError(code, 'no');
    await expect(host.client.generate(REQUEST, () => undefined, never)).rejects.toMatchObject({ code });
    expect(host.client.facts).not.toBeNull();
    expect(host.lifecycle.state.kind).toBe(code === 'remoteSlow' ? 'ready' : 'error');
  }
});

it('is reconnected when the user retries after a failure, but not while it works', async () => {
  await connected();
  if (engines[0]) engines[0].failure = new EngineError('remoteFailed', 'no');
  await expect(host.client.generate(REQUEST, () => undefined, never)).rejects.toMatchObject({ code: 'remoteFailed' });
  if (engines[0]) engines[0].gate = new Promise(() => undefined);
  void host.client.generate(REQUEST, () => undefined, never);
  host.lifecycle.wake(true);
  await settle();
  expect([engines.length, engines[0]?.closed]).toEqual([1, false]);
});

it('is reconnected when the user retries after a failure', async () => {
  await connected();
  if (engines[0]) engines[0].failure = new EngineError('remoteFailed', 'no');
  await expect(host.client.generate(REQUEST, () => undefined, never)).rejects.toMatchObject({ code: 'remoteFailed' });
  const asked = host.lifecycle.wakeAndWait(true, never);
  await settle();
  expect(engines.map(({ closed }) => closed)).toEqual([true, false]);
  engines[1]?.finishLoad();
  await asked;
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('is not retried automatically if that would not help', async () => {
  host.lifecycle.want(REMOTE);
  await settle();
  engines[0]?.failLoad(new EngineError('remoteUnauthorized', 'no'));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(engines).toHaveLength(1);
  host.lifecycle.wake(true);
  await settle();
  expect(engines).toHaveLength(2);
});

it('is not replaced by a local model', async () => {
  host.lifecycle.want(LOCAL);
  await settle();
  engines[0]?.finishLoad();
  await settle();
  host.lifecycle.want(REMOTE);
  await settle();
  engines[1]?.failLoad(gone());
  await settle();
  expect([host.lifecycle.state.kind, engines.length, engines[0]?.closed]).toEqual(['error', 2, true]);
  host.lifecycle.want(LOCAL);
  await settle();
  engines[2]?.finishLoad();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([host.lifecycle.state.kind, engines.length]).toEqual(['ready', 3]);
});

it.each(['loaded', 'unloaded'])(
  'is disconnected when its address is removed, even without a usable local model: %s',
  async (kind) => {
    const error = { code: 'outOfMemory', message: 'no' } as const;
    const picky = createEngineHost(
      () => {
        const engine = new ScriptedEngine();
        engines.push(engine);
        return engine;
      },
      SILENT,
      async (loadRequest) =>
        loadRequest.remote === undefined ? { kind: 'refused', error } : { kind: 'fits', options: loadRequest },
    );
    picky.lifecycle.want(REMOTE);
    await settle();
    engines[0]?.finishLoad();
    await settle();
    if (kind === 'unloaded') await picky.lifecycle.unload('user');
    picky.lifecycle.want(LOCAL);
    await settle();
    expect([picky.lifecycle.state, picky.lifecycle.knownFacts, engines.length, engines[0]?.closed]).toEqual([
      { kind: 'error', error },
      null,
      1,
      true,
    ]);
  },
);

it('gets no more requests after a change to an unreachable one', async () => {
  await connected();
  host.lifecycle.want({ ...REMOTE, remote: { ...REMOTE.remote, url: 'http://other:8080' } });
  await settle();
  engines[1]?.failLoad(gone());
  await settle();
  expect([host.lifecycle.state.kind, engines.length, engines[0]?.closed]).toEqual(['error', 2, true]);
});
