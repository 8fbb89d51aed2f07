import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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

it('the suggestion of another document goes on', async () => {
  const outcome = fixture.complete('const a = ║');
  await vi.advanceTimersByTimeAsync(1);
  fixture.service.documentClosed('file:///b.ts');
  answer();
  expect(await outcome).toMatchObject({ kind: 'suggestions' });
});
