import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LEXICAL } from '../../../support/code/cursor-syntax.js';
import { CompletionFixture, NO_CONTEXT, requestAt, settle } from './completion-fixture.js';

let fixture: CompletionFixture;
let contextFails = false;

function failure(): never {
  throw new TypeError('a bug in the context');
}

const context = {
  ...NO_CONTEXT,
  contextFor: (...place: Parameters<typeof NO_CONTEXT.contextFor>) =>
    contextFails ? failure() : NO_CONTEXT.contextFor(...place),
};

beforeEach(async () => {
  contextFails = false;
  fixture = await CompletionFixture.ready(context);
});

afterEach(() => {
  vi.useRealTimers();
  fixture.service.dispose();
});

const BUG = { kind: 'none', reason: 'engineError', detail: expect.stringContaining('The engine failed: a bug') };
const WITH_STACK = expect.stringMatching(/TypeError: a bug.*failures\.test\.ts/s);

it('of the pipeline is an outcome, with its stack in the log', async () => {
  contextFails = true;
  expect(await fixture.complete('return ║\n')).toEqual(BUG);
  expect(fixture.errors).toEqual([WITH_STACK]);
});

it('before the engine is asked is an outcome too', async () => {
  fixture.syntax = { at: failure };
  expect(await fixture.complete('return ║\n')).toEqual(BUG);
  expect(fixture.errors).toEqual([WITH_STACK]);
  fixture.syntax = LEXICAL;
  expect(await fixture.textAt('return ║\n')).toBe('text');
});

it('of the part that is shown early leaves the whole suggestion', async () => {
  vi.useFakeTimers();
  let open = (): void => undefined;
  fixture.engine.pieces = ['a + ', 'b;'];
  fixture.engine.pieceGate = (index) =>
    index === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          open = resolve;
        });
  const answer = fixture.complete('return ║\n');
  await vi.advanceTimersByTimeAsync(100);
  fixture.syntax = { at: failure };
  await vi.advanceTimersByTimeAsync(400);
  expect(fixture.errors).toEqual([WITH_STACK]);
  fixture.syntax = LEXICAL;
  open();
  await vi.advanceTimersByTimeAsync(10);
  expect(await answer).toMatchObject({ kind: 'suggestions', partial: false });
});

it('of idle work is logged with its stack', async () => {
  vi.useFakeTimers();
  const rejected = vi.fn();
  process.on('unhandledRejection', rejected);
  try {
    fixture.service.cursorMoved(requestAt('return ║\n', { trigger: 'prepared' }));
    contextFails = true;
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await settle();
    expect(fixture.errors).toEqual([WITH_STACK]);
    expect(rejected).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', rejected);
  }
});
