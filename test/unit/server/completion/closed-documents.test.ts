import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LEXICAL } from '../../../support/code/cursor-syntax.js';
import { CompletionFixture, URI } from './completion-fixture.js';

/** Later than any planned work begins. */
const IDLE_MS = 5_000;

let fixture: CompletionFixture;
/** Lets the engine answer. */
let answer: () => void;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
  vi.useFakeTimers();
  answer = () => undefined;
  fixture.engine.pieceGate = () => new Promise((resolve) => (answer = resolve));
});

afterEach(() => {
  fixture.service.dispose();
  vi.useRealTimers();
});

it.each(['automatic', 'prepared'] as const)(
  'a document that closes while its suggestion is made ends that, and nothing is prepared in it: %s',
  async (trigger) => {
    const outcome = fixture.complete('const a = ║', { trigger });
    await vi.advanceTimersByTimeAsync(1);
    expect(fixture.engine.requests).toHaveLength(1);
    fixture.service.documentClosed(URI);
    answer();
    expect(await outcome).toEqual({ kind: 'none', reason: 'cancelled' });
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(fixture.engine.requests).toHaveLength(1);
  },
);

it('a document that is closed is not parsed again, which would make a tree that nobody frees', async () => {
  const outcome = fixture.complete('const a = ║');
  await vi.advanceTimersByTimeAsync(1);
  fixture.service.documentClosed(URI);
  const at = vi.fn(LEXICAL.at);
  fixture.syntax = { at };
  answer();
  await outcome;
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(at).not.toHaveBeenCalled();
});

it.each(['automatic', 'prepared'] as const)(
  'a request that waits while its document closes ends without a trace: %s',
  async (trigger) => {
    for (let count = 0; count < 20; count++) fixture.service.latencies.add({ latencyMs: 500, workMs: 500 });
    await fixture.host.lifecycle.unload('idle');
    const outcome = fixture.complete('const a = ║', { trigger });
    await vi.advanceTimersByTimeAsync(1);
    fixture.service.documentClosed(URI);
    fixture.engine.finishLoad();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    answer();
    expect(await outcome).toEqual({ kind: 'none', reason: 'cancelled' });
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(fixture.engine.requests).toEqual([]);
  },
);

it('the suggestion of another document goes on', async () => {
  const outcome = fixture.complete('const a = ║');
  await vi.advanceTimersByTimeAsync(1);
  fixture.service.documentClosed('file:///b.ts');
  answer();
  expect(await outcome).toMatchObject({ kind: 'suggestions' });
});
