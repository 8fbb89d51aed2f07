import { beforeEach, expect, test } from 'vitest';
import { generateYielding } from '../../../../server/src/chat/yielding-generation.js';
import { createEngineHost, type EngineHost } from '../../../../server/src/engine/lifecycle/engine-host.js';
import type { GenerateRequest } from '../../../../server/src/engine/port/generation.js';
import { FACTS, METRICS, ScriptedEngine, SILENT } from '../scripted-engine.js';

/** Generates one piece whenever the test allows it, and returns their characters as tokens, like a real engine. */
class SteppingEngine extends ScriptedEngine {
  readonly waiting: (() => void)[] = [];
  override pieceGate = () => new Promise<void>((resolve) => this.waiting.push(resolve));

  override async generate(...[request, onText, signal]: Parameters<ScriptedEngine['generate']>) {
    const result = await super.generate(request, onText, signal);
    return { ...result, tokens: await this.tokenize(result.text) };
  }
}

const REQUEST: GenerateRequest = { prompt: ['p'], maxTokens: 10, sampling: { seed: 5 } };
let engine: SteppingEngine;
let urgentEngine: ScriptedEngine;
let host: EngineHost;
let urgent: EngineHost;
let said: string[];

async function loaded(engineOfHost: ScriptedEngine): Promise<EngineHost> {
  const made = createEngineHost(() => engineOfHost, SILENT);
  made.lifecycle.want({ path: '/m.gguf' });
  await expect.poll(() => made.lifecycle.state.kind).toBe('loading');
  await Promise.resolve();
  const isReady = (): boolean => {
    engineOfHost.finishLoad();
    return made.lifecycle.state.kind === 'ready';
  };
  await expect.poll(isReady).toBe(true);
  return made;
}

beforeEach(async () => {
  engine = new SteppingEngine();
  urgentEngine = new ScriptedEngine();
  host = await loaded(engine);
  urgent = await loaded(urgentEngine);
  said = [];
});

const run = (signal = new AbortController().signal, request = REQUEST, contextLength = 100) => {
  const { facts } = host.client;
  if (facts === null) throw new Error('no model is loaded');
  const model = { facts, contextLength };
  return generateYielding(host.client, urgent.client, request, model, (text) => said.push(text), signal);
};

/** Makes the engine generate its next piece, once it waits for that. */
async function step(): Promise<void> {
  await expect.poll(() => engine.waiting.length).toBe(1);
  engine.waiting.shift()?.();
}

/**
 * A generation that has generated `a` and yields to a suggestion.
 * @returns its result, and a function that ends the suggestion
 */
async function yieldedGeneration(): Promise<{
  readonly result: ReturnType<typeof run>;
  readonly finish: () => Promise<unknown>;
}> {
  engine.pieces = ['a', 'b'];
  const result = run();
  await step();
  await expect.poll(() => said.join('')).toBe('a');
  const finish = suggest();
  await step();
  await expect.poll(() => engine.waiting.length).toBe(0);
  return { result, finish };
}

/** Starts a suggestion that lasts until the returned function is called. */
function suggest(priority: 'completion' | 'background' = 'completion'): () => Promise<unknown> {
  let release = (): void => undefined;
  urgentEngine.gate = new Promise((resolve) => {
    release = resolve;
  });
  const done = urgent.client.generate(
    { prompt: ['s'], maxTokens: 1, priority },
    () => undefined,
    new AbortController().signal,
  );
  return () => {
    release();
    return done;
  };
}

test('is one generation without urgent work', async () => {
  engine.pieces = ['a', 'b'];
  const result = run();
  await step();
  await step();
  expect(await result).toMatchObject({ text: 'ab', stopReason: 'endOfText' });
  expect(engine.requests).toEqual([REQUEST]);
});

test('yields to a suggestion, then continues behind its last token', async () => {
  const { result, finish } = await yieldedGeneration();
  engine.pieces = ['c'];
  expect(engine.requests).toHaveLength(1);
  await finish();
  await step();
  expect(await result).toMatchObject({ text: 'ac', stopReason: 'endOfText', metrics: { local: { preemptions: 1 } } });
  expect(said.join('')).toBe('ac');
  expect(engine.requests[1]).toEqual({ prompt: ['p', 97], maxTokens: 9, sampling: { seed: 6 } });
});

test('begins after the suggestion', async () => {
  const finish = suggest();
  engine.pieces = ['a'];
  const result = run();
  expect(engine.requests).toEqual([]);
  await finish();
  await step();
  expect((await result).text).toBe('a');
});

test('begins after a suggestion whose model was unloaded meanwhile', async () => {
  const finish = suggest();
  await urgent.lifecycle.unload('user');
  engine.pieces = ['a'];
  const result = run();
  await finish();
  await step();
  expect((await result).text).toBe('a');
});

test('keeps its model while it yields, whatever the memory', async () => {
  const { result, finish } = await yieldedGeneration();
  engine.pieces = ['c'];
  expect(host.client.running).toBe(0);
  expect(host.client.idleMs).toBe(0);
  await host.lifecycle.unload('memoryPressure');
  expect(host.lifecycle.state.kind).toBe('ready');
  await finish();
  await step();
  expect((await result).text).toBe('ac');
  await host.lifecycle.unload('memoryPressure');
  expect(host.lifecycle.state.kind).toBe('unloaded');
});

test('does not go on with another model, whose tokens are others', async () => {
  const { result, finish } = await yieldedGeneration();
  const ended = expect(result).rejects.toThrow('Another model was loaded meanwhile');
  host.lifecycle.want({ path: '/other.gguf' });
  await expect.poll(() => host.lifecycle.state.kind).toBe('loading');
  const isReady = (): boolean => {
    engine.finishLoad();
    return host.lifecycle.state.kind === 'ready';
  };
  await expect.poll(isReady).toBe(true);
  await finish();
  await ended;
  expect(engine.requests).toHaveLength(1);
});

test('begins with no other model than its prompt was made for', async () => {
  const model = { facts: { ...FACTS }, contextLength: 100 };
  const never = new AbortController().signal;
  for (const other of [null, urgent.client]) {
    const result = generateYielding(host.client, other, REQUEST, model, () => undefined, never);
    await expect(result).rejects.toThrow('Another model was loaded meanwhile');
  }
  expect(engine.requests).toEqual([]);
});

test.each(['unloaded', 'replaced'] as const)(
  'says that its model was %s where that ended it, with one engine for all',
  async (fate) => {
    const { facts } = host.client;
    if (facts === null) throw new Error('no model is loaded');
    engine.pieces = ['a', 'b'];
    // An engine that is closed ends its answers where they are.
    const closed = new AbortController();
    const generate = engine.generate.bind(engine);
    engine.generate = (request, onText) => generate(request, onText, closed.signal);
    engine.close = async () => closed.abort();
    const never = new AbortController().signal;
    const model = { facts, contextLength: 100 };
    const result = generateYielding(host.client, null, REQUEST, model, (text) => said.push(text), never);
    const ended = expect(result).rejects.toThrow('The model was unloaded meanwhile');
    await step();
    await expect.poll(() => said.join('')).toBe('a');
    if (fate === 'unloaded') await host.lifecycle.unload('user');
    else host.lifecycle.want({ path: '/other.gguf' });
    await ended;
  },
);

test('does not yield to background work', async () => {
  const finish = suggest('background');
  engine.pieces = ['a'];
  const result = run();
  await step();
  expect((await result).text).toBe('a');
  await finish();
});

test('ends for good when aborted, also while it yields', async () => {
  const abort = new AbortController();
  engine.pieces = ['a', 'b'];
  const result = run(abort.signal);
  await step();
  await expect.poll(() => said.join('')).toBe('a');
  const finish = suggest();
  await step();
  abort.abort();
  expect(await result).toMatchObject({ text: 'a', stopReason: 'aborted' });
  await finish();
});

test('generates an incomplete character again', async () => {
  const torn = 0xfffd;
  engine.detokenize = async (tokens) => String.fromCodePoint(...tokens);
  engine.tokenize = async (text) =>
    [...text].map((each) => each.codePointAt(0) ?? 0).concat(text === 'a' ? [torn] : []);
  const { result, finish } = await yieldedGeneration();
  await finish();
  await step();
  await step();
  await result;
  expect(engine.requests[1]?.prompt).toEqual(['p', 97]);
});

test('goes on behind the end of an answer that has outgrown the context', async () => {
  engine.pieces = ['abcdef', 'g'];
  engine.choices = {
    metrics: { ...METRICS, promptTokens: 4, local: METRICS.local && { ...METRICS.local, shiftedTokens: 5 } },
  };
  const result = run(new AbortController().signal, { ...REQUEST, maxTokens: 20, whenContextFull: 'shift' }, 10);
  await step();
  await expect.poll(() => said.join('')).toBe('abcdef');
  const finish = suggest();
  await step();
  await finish();
  engine.pieces = ['h'];
  await step();
  expect(await result).toMatchObject({ text: 'abcdefh', metrics: { local: { shiftedTokens: 10 } } });
  expect(engine.requests[1]?.prompt).toEqual(['p', ...[...'def'].map((each) => each.charCodeAt(0))]);
  expect(engine.requests[1]?.maxTokens).toBe(14);
});
