import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EngineError } from '../../../../server/src/engine/port/engine-error.js';
import { FACTS } from '../scripted-engine.js';
import { CompletionFixture, settle } from './completion-fixture.js';

const CHANGED = { kind: 'none', reason: 'modelChanged' };

let fixture: CompletionFixture;
let go: () => void;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
  fixture.engine.gate = new Promise((resolve) => {
    go = resolve;
  });
});

afterEach(() => {
  vi.useRealTimers();
  fixture.service.dispose();
});

/** The user unloads the model while it makes a suggestion. */
async function unloadMeanwhile() {
  const outcome = fixture.complete('return ║\n');
  await settle();
  expect(fixture.engine.requests).toHaveLength(1);
  await fixture.host.lifecycle.unload('user');
  go();
  return outcome;
}

async function load(path: string): Promise<void> {
  fixture.host.lifecycle.want({ path });
  await settle();
  fixture.engine.finishLoad();
  await settle();
}

it.each([
  ['before its first word', []],
  ['in the middle of a line', ['a + ']],
])('a suggestion whose model is unloaded %s says so', async (_when, pieces) => {
  // As an engine ends what runs when it is closed.
  Object.assign(fixture.engine, { pieces, stopReason: 'aborted' });
  expect(await unloadMeanwhile()).toEqual(CHANGED);
});

it.each(['closed', 'notLoaded'] as const)('so does one that is refused as %s then', async (code) => {
  fixture.engine.failure = new EngineError(code, 'No model');
  expect(await unloadMeanwhile()).toEqual(CHANGED);
});

it('another failure of that moment is told as it is', async () => {
  fixture.engine.failure = new EngineError('decodeFailed', 'No decode');
  expect(await unloadMeanwhile()).toMatchObject({ reason: 'engineError', detail: 'The engine failed: No decode' });
});

it('what was finished is shown', async () => {
  fixture.engine.pieces = ['a;'];
  expect(await unloadMeanwhile()).toMatchObject({ kind: 'suggestions' });
});

it('a request that waits for another key while another model is loaded says so', async () => {
  vi.useFakeTimers();
  for (let count = 0; count < 20; count++) fixture.service.latencies.add({ latencyMs: 500, workMs: 500 });
  const outcome = fixture.complete('const a = ║');
  await vi.advanceTimersByTimeAsync(1);
  fixture.host.lifecycle.want({ path: '/other.gguf' });
  await vi.advanceTimersByTimeAsync(1);
  fixture.engine.finishLoad();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await outcome).toEqual(CHANGED);
  expect(fixture.engine.requests).toEqual([]);
});

it('another model is not judged by the times of the one before', async () => {
  go();
  await fixture.complete('return ║\n');
  for (let count = 0; count < 100; count++) fixture.service.latencies.add({ latencyMs: 20, workMs: 20 });
  await fixture.complete('return a + ║\n');
  expect(fixture.service.latencies.percentile(0.9)).toBe(20);
  await load('/other.gguf');
  for (let count = 0; count < 5; count++) {
    fixture.engine.gate = new Promise((resolve) => setTimeout(resolve, 80));
    await fixture.complete(`return ${'a'.repeat(count)} + ║\n`);
  }
  expect(fixture.service.latencies.percentile(0)).toBeGreaterThanOrEqual(60);
  expect(fixture.service.latencies.debounce()).toBeGreaterThan(0);
});

it('what the last suggestion took is told while its model is known', async () => {
  go();
  await fixture.complete('return ║\n');
  const { lifecycle } = fixture.host;
  const told = fixture.service.lastCompletion;
  expect(told).not.toBeNull();
  await lifecycle.unload('user');
  expect(fixture.service.lastCompletion).toBe(told);
  await load('/other.gguf');
  expect(lifecycle.state.kind).toBe('ready');
  expect(fixture.service.lastCompletion).toBeNull();
  await load('/model.gguf');
  expect(fixture.service.lastCompletion).toBe(told);
  fixture.engine.facts = { ...FACTS, backend: 'Vulkan' };
  await load('/other.gguf');
  await load('/model.gguf');
  expect(fixture.service.lastCompletion).toBeNull();
});
