import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnchorKeeper } from '../../../../server/src/completion/anchor/anchor-keeper.js';
import { IdleWork } from '../../../../server/src/completion/idle-work.js';
import type { ContextProvider } from '../../../../server/src/completion/request/context-provider.js';
import { askedAt, type ReadyModel } from '../../../../server/src/completion/request/question.js';
import { requestBudget } from '../../../../server/src/completion/suggestion-maker.js';
import { EMPTY_CONTEXT } from '../../../../server/src/prompt/context-block.js';
import { fimTemplateFor } from '../../../../server/src/prompt/fim-template.js';
import { FACTS, SILENT } from '../scripted-engine.js';
import { CompletionFixture, NO_CONTEXT, requestAt, URI } from './completion-fixture.js';

/** Later than any planned work begins. */
const IDLE_MS = 5_000;

let fixture: CompletionFixture;
let anchors: AnchorKeeper;
let context: ContextProvider;
let idle: IdleWork;
let model: ReadyModel;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
  anchors = new AnchorKeeper();
  context = NO_CONTEXT;
  const provider: ContextProvider = {
    contextFor: (...asked) => context.contextFor(...asked),
    visited: () => undefined,
    mayHoldSecrets: (uri) => context.mayHoldSecrets(uri),
  };
  idle = new IdleWork(fixture.host.client, anchors, provider, () => 'auto', SILENT);
  const facts = fixture.host.client.facts ?? FACTS;
  const template = fimTemplateFor(facts);
  if (template === null) throw new Error('the scripted model completes code');
  model = { facts, template, promptTokens: 1024 };
  vi.useFakeTimers();
});

afterEach(() => {
  idle.cancel();
  fixture.service.dispose();
  vi.useRealTimers();
});

function questionAt(marked: string, uri = URI) {
  return askedAt(requestAt(marked, { uri }), '');
}

function schedule(marked: string, uri = URI): void {
  const question = questionAt(marked, uri);
  idle.schedule(question, model, requestBudget(model, question.request.document.path, 64).budget);
}

function anchorAt(marked: string, uri = URI) {
  return anchors.holding(questionAt(marked, uri).place);
}

/** The engine holds each preparation until the returned function is called. */
function slowEngine(): () => Promise<void> {
  let go: () => void = () => undefined;
  fixture.engine.gate = new Promise((resolve) => {
    go = resolve;
  });
  return async () => {
    go();
    await vi.advanceTimersByTimeAsync(0);
  };
}

it('evaluates the prompt of the last place in idle time, and keeps its anchor', async () => {
  schedule('one\n║');
  schedule('one\ntwo ║');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(fixture.engine.requests).toMatchObject([{ maxTokens: 0, priority: 'background' }]);
  expect(anchorAt('one\ntwo ║')).not.toBeNull();
});

it('evaluates nothing again while its anchor holds', async () => {
  schedule('one\n║');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  schedule('one\ntwo ║');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(fixture.engine.requests).toHaveLength(1);
});

it('does nothing once it is cancelled', async () => {
  schedule('one\n║');
  idle.cancel();
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(fixture.engine.requests).toEqual([]);
});

it.each([
  ['its context is revoked', () => idle.contextRevoked(URI)],
  ['its document closes', () => idle.documentClosed(URI)],
  ['the user is at another place', () => schedule('three ║', 'file:///b.ts')],
])('keeps no anchor of a running preparation once %s', async (_when, happens) => {
  const finish = slowEngine();
  schedule('one\n║');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(fixture.engine.requests).toHaveLength(1);
  happens();
  await finish();
  expect(anchorAt('one\n║')).toBeNull();
});

it.each([
  ['context of another document is revoked', () => idle.contextRevoked('file:///b.ts')],
  ['another document closes', () => idle.documentClosed('file:///b.ts')],
])('goes on when %s', async (_when, happens) => {
  const finish = slowEngine();
  schedule('one\n║');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  happens();
  await finish();
  expect(anchorAt('one\n║')).not.toBeNull();
});

it('prepares the place again when its context has changed, unless its document was closed', async () => {
  context = { ...NO_CONTEXT, contextFor: () => ({ ...EMPTY_CONTEXT }) };
  schedule('one\n║');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  idle.renew(URI, () => true);
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(fixture.engine.requests).toHaveLength(2);
  idle.documentClosed(URI);
  idle.renew(URI, () => true);
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(fixture.engine.requests).toHaveLength(2);
});

describe('a prompt that is evaluated ahead while its text is excluded', () => {
  const block = (text: string) => ({ ...EMPTY_CONTEXT, snippets: [{ path: 'b.ts', text, why: 'openFile' as const }] });

  it.each([
    ['revoked', () => fixture.service.contextRevoked(URI)],
    ['revoked as its document closes', () => fixture.service.documentClosed(URI)],
  ])('is not what the next key continues from: %s', async (_how, happens) => {
    let shown = block('excluded();\n');
    vi.useRealTimers();
    fixture = await CompletionFixture.ready({ ...NO_CONTEXT, contextFor: () => shown });
    vi.useFakeTimers();
    const finish = slowEngine();
    fixture.service.documentShown(requestAt('one ║\n'));
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(JSON.stringify(fixture.engine.requests[0]?.prompt)).toContain('excluded');
    shown = block('others();\n');
    happens();
    await finish();
    vi.useRealTimers();
    await fixture.complete('one t║\n', { version: 2 });
    expect(fixture.engine.requests).toHaveLength(2);
    expect(JSON.stringify(fixture.engine.requests[1]?.prompt)).toContain('others');
    expect(JSON.stringify(fixture.engine.requests[1]?.prompt)).not.toContain('excluded');
  });
});
