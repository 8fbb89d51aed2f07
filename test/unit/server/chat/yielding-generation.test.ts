import { beforeEach, expect, test } from 'vitest';
import { generateYielding } from '../../../../server/src/chat/yielding-generation.js';
import type { GenerateRequest } from '../../../../server/src/engine/engine.js';
import { EngineHost } from '../../../../server/src/engine/engine-host.js';
import { METRICS, ScriptedEngine, SILENT } from '../scripted-engine.js';

/** Says its pieces one by one when the test lets it, and gives their characters as tokens, as a real engine does. */
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
  const made = new EngineHost(() => engineOfHost, SILENT);
  made.want({ path: '/m.gguf' });
  await expect.poll(() => made.state.kind).toBe('loading');
  await Promise.resolve();
  const isReady = (): boolean => {
    engineOfHost.finishLoad();
    return made.state.kind === 'ready';
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

const run = (signal = new AbortController().signal, request = REQUEST, contextLength = 100) =>
  generateYielding(host, urgent, request, contextLength, (text) => said.push(text), signal);

/** Lets the engine say its next piece, once it waits to. */
async function step(): Promise<void> {
  await expect.poll(() => engine.waiting.length).toBe(1);
  engine.waiting.shift()?.();
}

/** A generation that has said `a` and stands back for a suggestion. @returns its result, and what ends the suggestion */
async function stoodBack(): Promise<{
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

/** A suggestion that takes until it is let go. */
function suggest(priority: 'completion' | 'background' = 'completion'): () => Promise<unknown> {
  let release = (): void => undefined;
  urgentEngine.gate = new Promise((resolve) => {
    release = resolve;
  });
  const done = urgent.generate(
    { prompt: ['s'], maxTokens: 1, priority },
    () => undefined,
    new AbortController().signal,
  );
  return () => {
    release();
    return done;
  };
}

test('is one generation where nothing is urgent', async () => {
  engine.pieces = ['a', 'b'];
  const result = run();
  await step();
  await step();
  expect(await result).toMatchObject({ text: 'ab', stopReason: 'endOfText' });
  expect(engine.requests).toEqual([REQUEST]);
});

test('stands back while a suggestion is made, then goes on behind what it has said', async () => {
  const { result, finish } = await stoodBack();
  engine.pieces = ['c'];
  expect(engine.requests).toHaveLength(1);
  await finish();
  await step();
  expect(await result).toMatchObject({ text: 'ac', stopReason: 'endOfText', metrics: { preemptions: 1 } });
  expect(said.join('')).toBe('ac');
  expect(engine.requests[1]).toEqual({ prompt: ['p', 97], maxTokens: 9, sampling: { seed: 6 } });
});

test('begins when the suggestion is there', async () => {
  const finish = suggest();
  engine.pieces = ['a'];
  const result = run();
  expect(engine.requests).toEqual([]);
  await finish();
  await step();
  expect((await result).text).toBe('a');
});

test('begins when the suggestion has ended whose model was given back meanwhile', async () => {
  const finish = suggest();
  await urgent.unload('user');
  engine.pieces = ['a'];
  const result = run();
  await finish();
  await step();
  expect((await result).text).toBe('a');
});

test('does not mind what runs in the background', async () => {
  const finish = suggest('background');
  engine.pieces = ['a'];
  const result = run();
  await step();
  expect((await result).text).toBe('a');
  await finish();
});

test('ends for good when it is told to, also while it stands back', async () => {
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

test('says a character again whose beginning alone had come', async () => {
  const torn = 0xfffd;
  engine.detokenize = async (tokens) => String.fromCodePoint(...tokens);
  engine.tokenize = async (text) =>
    [...text].map((each) => each.codePointAt(0) ?? 0).concat(text === 'a' ? [torn] : []);
  const { result, finish } = await stoodBack();
  await finish();
  await step();
  await step();
  await result;
  expect(engine.requests[1]?.prompt).toEqual(['p', 97]);
});

test('goes on behind the end of an answer that has outgrown the context', async () => {
  engine.pieces = ['abcdef', 'g'];
  engine.choices = { metrics: { ...METRICS, promptTokens: 4, shiftedTokens: 5 } };
  const result = run(new AbortController().signal, { ...REQUEST, maxTokens: 20, whenContextFull: 'shift' }, 10);
  await step();
  await expect.poll(() => said.join('')).toBe('abcdef');
  const finish = suggest();
  await step();
  await finish();
  engine.pieces = ['h'];
  await step();
  expect(await result).toMatchObject({ text: 'abcdefh', metrics: { shiftedTokens: 10 } });
  expect(engine.requests[1]?.prompt).toEqual(['p', ...[...'def'].map((each) => each.charCodeAt(0))]);
  expect(engine.requests[1]?.maxTokens).toBe(14);
});
