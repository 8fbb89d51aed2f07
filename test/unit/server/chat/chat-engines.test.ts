import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineErrorInfo } from '../../../../server/protocol/index.js';
import { ChatEngines, remedyFor } from '../../../../server/src/chat/chat-engines.js';
import { createEngineHost, type EngineHost } from '../../../../server/src/engine/lifecycle/engine-host.js';
import type { LoadRequest } from '../../../../server/src/engine/port/engine.js';
import { FACTS, ScriptedEngine, SILENT } from '../scripted-engine.js';

const FOREVER = new AbortController().signal;
let shared: EngineHost;
let own: EngineHost;
let made: ScriptedEngine[];
let loadRequest: LoadRequest | null;
let refusal: EngineErrorInfo | null;
let engines: ChatEngines;

beforeEach(() => {
  made = [];
  loadRequest = null;
  refusal = null;
  shared = createEngineHost(() => new ScriptedEngine(), SILENT);
  own = createEngineHost(
    () => {
      const engine = new ScriptedEngine();
      engine.load = async (options) => ({ ...FACTS, path: options.path });
      made.push(engine);
      return engine;
    },
    SILENT,
    async (options) => (refusal === null ? { kind: 'fits', options } : { kind: 'refused', error: refusal }),
  );
  engines = new ChatEngines(
    shared,
    own,
    (unfitPath) => loadRequest ?? (unfitPath === null ? null : { path: unfitPath }),
  );
});

test('without a model of its own, the engine of suggestions chats', async () => {
  expect(engines.current).toEqual({ host: shared, slot: 'chat' });
  expect([engines.moreUrgent, engines.status, engines.unseenPath]).toEqual([null, null, null]);
  await engines.ready(FOREVER);
  expect(made).toEqual([]);
});

test('the engine of suggestions reports which file it loads', async () => {
  const loading = new ScriptedEngine();
  shared = createEngineHost(() => loading, SILENT);
  engines = new ChatEngines(shared, own, () => loadRequest);
  expect(engines.unseenPath).toBeNull();
  shared.lifecycle.want({ path: '/both.gguf' });
  expect(engines.unseenPath).toBe('/both.gguf');
  await expect.poll(() => loading.loadedWith).not.toBeNull();
  expect(engines.unseenPath).toBe('/both.gguf');
  loading.finishLoad();
  await engines.ready(FOREVER);
  expect([engines.unseenPath, shared.client.facts?.path]).toEqual([null, '/both.gguf']);
  // A remote model has no local file.
  shared.lifecycle.want({ path: 'gpu', remote: { url: 'gpu', kind: 'auto', model: '' } });
  await expect.poll(() => shared.client.facts).toBeNull();
  expect(engines.unseenPath).toBeNull();
});

test('a question waits for the model that is chosen while another one loads', async () => {
  const loading: ScriptedEngine[] = [];
  shared = createEngineHost(() => {
    const engine = new ScriptedEngine();
    loading.push(engine);
    return engine;
  }, SILENT);
  engines = new ChatEngines(shared, own, () => loadRequest);
  shared.lifecycle.want({ path: '/one.gguf' });
  await expect.poll(() => loading[0]?.loadedWith).toBeTruthy();
  const ready = engines.ready(FOREVER);
  shared.lifecycle.want({ path: '/two.gguf' });
  await expect.poll(() => loading[1]?.loadedWith).toBeTruthy();
  loading[1]?.finishLoad();
  await ready;
  expect(shared.client.facts?.path).toBe('/two.gguf');
});

test('a model for both that cannot complete chats alone', async () => {
  expect(await engines.makeRoom({ path: '/both.gguf' }, { code: 'noFimTokens', message: '' })).toBe(false);
  expect(engines.current).toEqual({ host: own, slot: 'completion' });
  await engines.ready(FOREVER);
  expect(own.client.facts?.path).toBe('/both.gguf');
});

test.each([
  ['noFimTokens', false, 'chatAlone'],
  ['noFimTokens', true, 'chatAlone'],
  ['outOfMemory', true, 'unloadChat'],
  ['outOfMemory', false, 'none'],
  ['unsupportedModel', true, 'none'],
] as const)('a refusal for %s, with the chat model loaded: %s, has the remedy %s', (code, chatIsLoaded, remedy) => {
  expect(remedyFor({ code, message: '' }, chatIsLoaded)).toBe(remedy);
});

describe('a model of its own', () => {
  beforeEach(() => {
    loadRequest = { path: '/chat.gguf' };
    engines.reconsider();
  });

  test("does not yield to a remote server's suggestions", () => {
    shared.lifecycle.want({ path: 'gpu', remote: { url: 'gpu', kind: 'auto', model: '' } });
    expect(engines.current.host).toBe(own);
    expect(engines.moreUrgent).toBeNull();
  });

  test('loads at the first question, not before', async () => {
    expect(engines.current).toEqual({ host: own, slot: 'completion' });
    expect(engines.moreUrgent).toBe(shared.client);
    expect(engines.unseenPath).toBe('/chat.gguf');
    expect(engines.status).toEqual({ state: { kind: 'unloaded', reason: 'idle' }, path: '/chat.gguf', model: null });
    expect(made).toEqual([]);
    await engines.ready(FOREVER);
    expect(own.client.facts?.path).toBe('/chat.gguf');
    expect(engines.unseenPath).toBeNull();
    expect(engines.status).toMatchObject({ state: { kind: 'ready' }, model: { path: '/chat.gguf' } });
    await engines.ready(FOREVER);
    expect(made).toHaveLength(1);
  });

  test('is loaded again by a question after it was unloaded', async () => {
    await engines.ready(FOREVER);
    await own.lifecycle.unload('idle');
    expect(engines.status).toMatchObject({ state: { kind: 'unloaded' }, model: { name: 'Scripted' } });
    await engines.ready(FOREVER);
    expect(own.lifecycle.state.kind).toBe('ready');
  });

  test('retries at each question while it does not fit', async () => {
    refusal = { code: 'outOfMemory', message: 'too large' };
    await engines.ready(FOREVER);
    expect(engines.status?.state).toEqual({ kind: 'error', error: refusal });
    refusal = null;
    await engines.ready(FOREVER);
    expect(own.lifecycle.state.kind).toBe('ready');
  });

  test('is unloaded when another one is chosen, which waits for its question', async () => {
    await engines.ready(FOREVER);
    loadRequest = { path: '/other.gguf' };
    engines.reconsider();
    await own.lifecycle.settled(FOREVER);
    expect(made[0]?.closed).toBe(true);
    expect(engines.unseenPath).toBe('/other.gguf');
    await engines.ready(FOREVER);
    expect(own.client.facts?.path).toBe('/other.gguf');
  });

  test('is replaced by the one chosen while a question waits', async () => {
    const ready = engines.ready(FOREVER);
    loadRequest = { path: '/other.gguf' };
    engines.reconsider();
    await ready;
    expect(own.client.facts?.path).toBe('/other.gguf');
  });

  test('is unloaded when none is wanted', async () => {
    await engines.ready(FOREVER);
    loadRequest = null;
    engines.reconsider();
    await own.lifecycle.settled(FOREVER);
    expect(made[0]?.closed).toBe(true);
    expect([own.lifecycle.wanted, own.client.facts]).toEqual([null, null]);
  });

  test('stays when other settings change', async () => {
    await engines.ready(FOREVER);
    engines.reconsider();
    await own.lifecycle.settled(FOREVER);
    expect(made[0]?.closed).toBe(false);
  });

  test('is unloaded if the other one has no room to return', async () => {
    await engines.ready(FOREVER);
    expect(await engines.makeRoom({ path: '/a.gguf' }, { code: 'outOfMemory', message: '' })).toBe(true);
    expect(own.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'memoryPressure' });
    await engines.ready(FOREVER);
    expect(own.lifecycle.state.kind).toBe('ready');
  });

  test('stays while it answers, and if room is not the problem', async () => {
    await engines.ready(FOREVER);
    const room = (code: EngineErrorInfo['code']) => engines.makeRoom({ path: '/a.gguf' }, { code, message: '' });
    expect(await room('unsupportedModel')).toBe(false);
    expect(own.lifecycle.state.kind).toBe('ready');
    let finish: () => void = () => undefined;
    if (made[0] !== undefined) made[0].gate = new Promise((resolve) => (finish = resolve));
    const answer = own.client.generate({ prompt: [], maxTokens: 1 }, () => undefined, FOREVER);
    expect(await room('outOfMemory')).toBe(false);
    expect(own.lifecycle.state.kind).toBe('working');
    finish();
    await answer;
  });

  test('does not delay a question that was cancelled', async () => {
    const abort = new AbortController();
    abort.abort();
    await engines.ready(abort.signal);
    expect(own.lifecycle.state.kind).not.toBe('ready');
  });
});
