import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CompletionFixture, requestAt } from './completion-fixture.js';

/** Later than any planned work begins. */
const IDLE_MS = 5_000;

let fixture: CompletionFixture;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
  vi.useFakeTimers();
});

afterEach(() => {
  fixture.service.dispose();
  vi.useRealTimers();
});

function turnOff(): void {
  fixture.settings = { ...fixture.settings, enabled: false };
  fixture.service.settingsChanged();
}

describe('once Inkling is turned off, the engine is not asked', () => {
  it('by a request that waits for another key', async () => {
    for (let count = 0; count < 20; count++) fixture.service.latencies.add({ latencyMs: 500, workMs: 500 });
    expect(fixture.service.latencies.debounce()).toBeGreaterThan(0);
    const outcome = fixture.complete('const a = ║');
    await vi.advanceTimersByTimeAsync(1);
    turnOff();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(await outcome).toEqual({ kind: 'none', reason: 'disabled' });
    expect(fixture.engine.requests).toEqual([]);
  });

  it('by work between keys', async () => {
    fixture.service.cursorMoved(requestAt('const a = ║'));
    turnOff();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(fixture.engine.requests).toEqual([]);
  });

  it('any longer by a running request, and nothing of it is shown', async () => {
    let go: () => void = () => undefined;
    fixture.engine.pieceGate = (index) => (index === 0 ? Promise.resolve() : new Promise((resolve) => (go = resolve)));
    fixture.engine.pieces = ['first', ' second'];
    const outcome = fixture.complete('const a = ║');
    await vi.advanceTimersByTimeAsync(1);
    expect(fixture.engine.requests).toHaveLength(1);
    turnOff();
    expect(await outcome).toEqual({ kind: 'none', reason: 'disabled' });
    go();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(fixture.engine.requests).toHaveLength(1);
  });
});

it.each([
  ['automatic', { languages: { typescript: false } }, 'languageDisabled'],
  ['automatic', { trigger: 'manual' }, 'manualMode'],
  // By command there are suggestions in every language.
  ['invoked', { languages: { typescript: false } }, null],
  ['invoked', { trigger: 'manual' }, null],
] as const)('a request that is %s and runs while %j is set ends with %j', async (trigger, changed, reason) => {
  let go: () => void = () => undefined;
  fixture.engine.pieceGate = () => new Promise((resolve) => (go = resolve));
  const outcome = fixture.complete('const a = ║', { trigger });
  await vi.advanceTimersByTimeAsync(1);
  expect(fixture.engine.requests).toHaveLength(1);
  fixture.settings = { ...fixture.settings, ...changed };
  fixture.service.settingsChanged();
  go();
  expect(await outcome).toMatchObject(reason === null ? { kind: 'suggestions' } : { kind: 'none', reason });
});

it('a change of other settings ends nothing', async () => {
  fixture.engine.pieces = ['first'];
  const outcome = fixture.complete('const a = ║');
  fixture.settings = { ...fixture.settings, inComments: false };
  fixture.service.settingsChanged();
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(await outcome).toMatchObject({ kind: 'suggestions' });
});
