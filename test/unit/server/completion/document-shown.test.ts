import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../server/protocol/index.js';
import { EMPTY_CONTEXT } from '../../../../server/src/prompt/context-block.js';
import { CompletionFixture, NO_CONTEXT, requestAt, settle, URI } from './completion-fixture.js';

let fixture: CompletionFixture;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
  vi.useFakeTimers();
});

afterEach(() => {
  fixture.service.dispose();
  vi.useRealTimers();
});

it('a shown document is evaluated before the first key, at background priority', async () => {
  fixture.service.documentShown(requestAt('one ║\ntwo'));
  await vi.advanceTimersByTimeAsync(100);
  expect(fixture.engine.requests).toMatchObject([{ maxTokens: 0, priority: 'background' }]);
  vi.useRealTimers();
  await fixture.complete('one t║\ntwo', { version: 2 });
  await settle();
  const [prepared, asked] = fixture.engine.requests;
  const boundary = prepared?.sectionBoundaries?.at(-1) ?? 0;
  expect(boundary).toBeGreaterThan(0);
  expect(asked?.prompt.slice(0, boundary)).toEqual(prepared?.prompt.slice(0, boundary));
});

it('only the last one of several that an editor opens', async () => {
  for (const uri of ['file:///a.ts', 'file:///b.ts', 'file:///c.ts']) {
    fixture.service.documentShown(requestAt('one ║\ntwo', { uri }));
    await vi.advanceTimersByTimeAsync(5);
  }
  await vi.advanceTimersByTimeAsync(2_000);
  expect(fixture.engine.requests).toHaveLength(1);
});

const OFF = [
  ['suggestions are off', { enabled: false }],
  ['only the user asks', { trigger: 'manual' as const }],
  ['the language is off', { languages: { typescript: false } }],
] as const;

it.each(OFF)('not where %s', async (_, settings) => {
  fixture.settings = { ...DEFAULT_SETTINGS, ...settings };
  fixture.service.documentShown(requestAt('one ║\ntwo'));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(fixture.engine.requests).toEqual([]);
});

describe('a document whose context has changed', () => {
  beforeEach(async () => {
    vi.useRealTimers();
    fixture = await CompletionFixture.ready({ ...NO_CONTEXT, contextFor: () => ({ ...EMPTY_CONTEXT }) });
    vi.useFakeTimers();
    fixture.service.documentShown(requestAt('one ║\ntwo'));
    await vi.advanceTimersByTimeAsync(100);
  });

  it('is evaluated again', async () => {
    fixture.service.contextChanged(URI);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(fixture.engine.requests).toHaveLength(2);
  });

  it.each(OFF)('is not where %s by now', async (_, settings) => {
    fixture.settings = { ...DEFAULT_SETTINGS, ...settings };
    fixture.service.contextChanged(URI);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(fixture.engine.requests).toHaveLength(1);
  });
});
