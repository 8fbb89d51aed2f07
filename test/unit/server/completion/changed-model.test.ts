import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EngineError } from '../../../../server/src/engine/port/engine-error.js';
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
  expect(await unloadMeanwhile()).toMatchObject({ reason: 'engineError', detail: 'decodeFailed: No decode' });
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
