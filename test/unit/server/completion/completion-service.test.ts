import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../server/protocol/index.js';
import { EngineError } from '../../../../server/src/engine/port/engine-error.js';
import { FACTS } from '../scripted-engine.js';
import { CompletionFixture, NO_CONTEXT, requestAt, settle, URI } from './completion-fixture.js';

let fixture: CompletionFixture;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
});

afterEach(() => {
  vi.useRealTimers();
  fixture.service.dispose();
});

describe('a suggestion', () => {
  it('comes from a prompt around the cursor', async () => {
    fixture.engine.pieces = ['left', ' + right;'];
    const outcome = await fixture.complete('return ║\n}\n');
    const suggestion = { id: 1, text: 'left + right;', start: 7, end: 7, chance: null, model: 'Scripted', leftOut: 0 };
    expect(outcome).toEqual({ kind: 'suggestions', suggestions: [suggestion], partial: false });
    expect(fixture.engine.requests).toEqual([
      {
        prompt: [95, 'a.ts\n', 90, 91, '\n}\n', 92, 'return '],
        sectionBoundaries: [2, 3, 5],
        heal: true,
        maxTokens: 64,
        stop: [],
        stopTokens: [90, 91, 92, 93, 94, 95],
        endsWithFile: true,
        timeBudgetMs: 2000,
        speculation: 'auto',
      },
    ]);
    expect(fixture.service.lastCompletion).toMatchObject({ promptTokens: 10, reusedTokens: 4, generatedTokens: 3 });
    expect(fixture.service.lastCompletion?.draftFailure).toBeNull();
    expect(fixture.service.lastCompletion?.decodedTokens).toBe(2);
  });

  it.each(['off', 'optimistic'] as const)('uses drafts as the settings say: %s', async (speculation) => {
    fixture.settings = { ...DEFAULT_SETTINGS, speculation };
    await fixture.complete('return ║\n}\n');
    expect(fixture.engine.requests).toMatchObject([{ speculation }]);
  });

  it('comes from a prompt that shows other files first, the same at every key', async () => {
    const asked: unknown[] = [];
    const contextFor = (...place: unknown[]) => {
      asked.push(place.slice(1));
      const snippets = [{ path: 'b.ts', text: `export const b = ${asked.length};\n`, why: 'openFile' as const }];
      return { repository: 'work', languageId: 'typescript', snippets };
    };
    fixture = await CompletionFixture.ready({ ...NO_CONTEXT, contextFor });
    await fixture.complete('return ║\n');
    await fixture.complete('return a║\n');
    const before = [94, 'work\n', 95, 'b.ts\nexport const b = 1;\n', 95, 'a.ts\n', 90, 91, '\n', 92];
    expect(fixture.engine.requests[0]).toMatchObject({ prompt: [...before, 'return '], sectionBoundaries: [6, 7, 9] });
    expect(fixture.engine.requests[1]).toMatchObject({ prompt: [...before, 'return a'], sectionBoundaries: [6, 7, 9] });
    expect(asked.slice(0, 2)).toEqual([
      [7, expect.any(Number)],
      [8, expect.any(Number)],
    ]);

    fixture.service.contextRevoked(URI);
    await fixture.complete('return ab║\n');
    expect(fixture.engine.requests.at(-1)?.prompt).toContain('b.ts\nexport const b = 3;\n');
  });

  it('has the line ends of the document', async () => {
    fixture.engine.pieces = ['\n  a();\n}\n'];
    expect(await fixture.textAt('if (a) {║\r\nb();\r\n')).toBe('\r\n  a();\r\n}');
  });

  it('stops the engine where the block ends', async () => {
    fixture.engine.pieces = ['\n  a();', '\n}\n', 'more', 'and more'];
    expect(await fixture.textAt('if (a) {║')).toBe('\n  a();\n}');
  });

  it('extends the selected item', async () => {
    fixture.engine.pieces = ['("hello")'];
    const outcome = await fixture.complete('console.lo║', { selected: { start: 8, text: 'log' } });
    expect(outcome).toMatchObject({ suggestions: [{ text: 'log("hello")', start: 8, end: 10 }] });
    expect(fixture.engine.requests[0]?.prompt).toContain('console.log');
  });

  it('is asked for again with a shorter prompt when the estimate was wrong', async () => {
    fixture.engine.failure = new EngineError('promptTooLong', 'Too long');
    expect((await fixture.complete(`${'x = 1\n'.repeat(2000)}║`)).kind).toBe('suggestions');
    const [first, second] = fixture.engine.requests.map(({ prompt }) => prompt.join('').length);
    expect(second).toBeLessThan((first ?? 0) * 0.55);
  });
});

it('follows a member that the user chose in the suggest widget before typing any of it', async () => {
  const textBefore = (offset: number) => 'items.'.slice(offset - 2, offset);
  fixture.service.documentEdited(URI, 2, [{ offset: 6, removed: '', inserted: 'push' }], textBefore);
  expect((await fixture.complete('items.push║', { version: 2 })).kind).toBe('suggestions');
  fixture.service.documentEdited(URI, 3, [{ offset: 6, removed: '', inserted: 'push' }]);
  expect(await fixture.complete('items.push║', { version: 3 })).toMatchObject({ reason: 'afterPaste' });
});

describe('no suggestion', () => {
  it('while Inkling is off', async () => {
    fixture.settings = { ...DEFAULT_SETTINGS, enabled: false };
    expect(await fixture.complete('a║')).toEqual({ kind: 'none', reason: 'disabled' });
  });

  it('in a language that is switched off', async () => {
    fixture.settings = { ...DEFAULT_SETTINGS, languages: { typescript: false } };
    expect(await fixture.complete('a║')).toEqual({ kind: 'none', reason: 'languageDisabled' });
  });

  it('by itself in a language that the model does not know, unless the user switched it on', async () => {
    fixture = await CompletionFixture.ready(NO_CONTEXT, { ...FACTS, name: 'Own', languages: ['python'] });
    expect(await fixture.complete('a║')).toEqual({
      kind: 'none',
      reason: 'languageUnknown',
      detail: 'Own knows Python. Choose a model for TypeScript.',
    });
    expect(fixture.service.decisions[0]?.sentence).toBe('Own knows Python. Choose a model for TypeScript.');
    fixture.service.cursorMoved(requestAt('a();\n║', { trigger: 'prepared' }));
    await settle();
    expect(fixture.engine.requests).toEqual([]);
    expect((await fixture.complete('a║', { trigger: 'invoked' })).kind).toBe('suggestions');

    fixture.settings = { ...DEFAULT_SETTINGS, languages: { '*': true, typescript: true } };
    expect((await fixture.complete('ab║')).kind).toBe('suggestions');
  });

  it('before a model is loaded', async () => {
    fixture = CompletionFixture.withoutModel();
    expect(await fixture.complete('a║')).toEqual({ kind: 'none', reason: 'modelNotReady' });
  });

  it('with the error of a model that failed', async () => {
    fixture = CompletionFixture.withoutModel();
    fixture.host.lifecycle.want({ path: '/model.gguf' });
    await settle();
    fixture.engine.failLoad(new EngineError('loadFailed', 'No such tensor'));
    await settle();
    const outcome = { kind: 'none', reason: 'engineError', detail: 'The engine failed: No such tensor' };
    expect(await fixture.complete('a║')).toEqual(outcome);
    expect(fixture.service.decisions[0]?.sentence).toBe('The engine failed: No such tensor.');
  });

  it('when the filters leave nothing', async () => {
    fixture.engine.pieces = ['   '];
    expect(await fixture.complete('a║')).toEqual({
      kind: 'none',
      reason: 'filtered',
      detail: 'Suggestion hidden: it is blank.',
    });
  });

  it('when the engine fails', async () => {
    fixture.engine.failure = new EngineError('decodeFailed', 'No decode');
    expect(await fixture.complete('a║')).toEqual({
      kind: 'none',
      reason: 'engineError',
      detail: 'The engine failed: No decode',
    });
    // A message for users, as the status has it.
    fixture.engine.failure = new EngineError('remoteSlow', 'gpu-box did not start to answer within 500 ms');
    await fixture.complete('ab║');
    expect(fixture.service.decisions[0]?.sentence).toBe('gpu-box did not start to answer within 500 ms.');
  });

  it('after the caller aborted', async () => {
    const controller = new AbortController();
    fixture.engine.gate = new Promise(() => undefined);
    const outcome = fixture.complete('a║', {}, controller);
    controller.abort();
    expect(await outcome).toEqual({ kind: 'none', reason: 'cancelled' });
  });

  it('for a request replaced by a later one', async () => {
    const older = fixture.complete('a║');
    const newer = fixture.complete('ab║');
    expect((await older).kind).toBe('none');
    expect((await newer).kind).toBe('suggestions');
  });
});

describe('edits', () => {
  it.each([
    ['deleting', [{ offset: 1, removed: 'b', inserted: '' }], 'afterDeletion'],
    ['pasting', [{ offset: 0, removed: '', inserted: 'some text' }], 'afterPaste'],
  ])('%s triggers no suggestion', async (_name, changes, reason) => {
    fixture.service.documentEdited(URI, 2, changes);
    expect(await fixture.complete('a║', { version: 2 })).toMatchObject({ kind: 'none', reason });
    expect((await fixture.complete('a║', { version: 2, trigger: 'invoked' })).kind).toBe('suggestions');
  });

  it('undo triggers none, whether it is announced before or after the change', async () => {
    const typed = [{ offset: 0, removed: '', inserted: 'a' }];
    fixture.service.documentUndone(URI, 2);
    fixture.service.documentEdited(URI, 2, typed);
    fixture.service.documentUndone(URI, 2);
    expect(await fixture.complete('a║', { version: 2 })).toMatchObject({ reason: 'afterUndo' });
    fixture.service.documentEdited(URI, 3, typed);
    expect((await fixture.complete('aa║', { version: 3 })).kind).toBe('suggestions');
  });

  it('an accepted word or line is not a paste', async () => {
    fixture.engine.pieces = ['left + right;'];
    await fixture.complete('return ║\n}\n');
    fixture.service.documentEdited(URI, 2, [{ offset: 7, removed: '', inserted: 'left' }]);
    expect(await fixture.textAt('return left║\n}\n', { version: 2 })).toBe(' + right;');
    fixture.service.documentEdited(URI, 3, [{ offset: 11, removed: '', inserted: ' + ' }]);
    expect(await fixture.textAt('return left + ║\n}\n', { version: 3 })).toBe('right;');
    fixture.service.documentEdited(URI, 4, [{ offset: 14, removed: '', inserted: 'something else' }]);
    expect(await fixture.complete('return left + something else║\n}\n', { version: 4 })).toMatchObject({
      reason: 'afterPaste',
    });
  });
});

describe('a request by command', () => {
  it('offers alternatives where the model was in doubt', async () => {
    const { engine } = fixture;
    engine.pieces = ['left', ' + right;'];
    engine.choices = {
      tokens: [1, 2],
      logProbabilities: [-0.1, -0.7],
      runnersUp: [
        { token: 8, logProbability: -9 },
        { token: 9, logProbability: -0.8 },
      ],
    };
    const branch = { pieces: ['left', ' - right;'] };
    engine.onBegin = ([first]) => (first === 1 ? branch.pieces : null);
    const outcome = await fixture.complete('return ║\n}\n', { trigger: 'invoked' });
    expect(outcome).toMatchObject({
      suggestions: [
        { id: 1, text: 'left + right;' },
        { id: 2, text: 'left - right;' },
      ],
    });
    expect(engine.requests.map(({ runnersUp, begin }) => ({ runnersUp, begin }))).toEqual([
      { runnersUp: true, begin: undefined },
      { runnersUp: undefined, begin: [1, 9] },
    ]);
  });

  it('offers no alternative of which the time limit left a part of a line', async () => {
    const { engine } = fixture;
    engine.stopReason = 'timeBudget';
    engine.pieces = ['left', ' + right'];
    const runnersUp = [{ token: 9, logProbability: -0.8 }];
    engine.choices = { tokens: [1], logProbabilities: [-0.7], runnersUp };
    engine.onBegin = () => ['lef'];
    const outcome = await fixture.complete('return ║\n}\n', { trigger: 'invoked' });
    expect(outcome).toMatchObject({ suggestions: [{ text: 'left + right' }] });
    expect(engine.requests).toHaveLength(2);
  });

  it('never offers the same text twice', async () => {
    const { engine } = fixture;
    engine.pieces = ['left;'];
    engine.choices = { tokens: [1], logProbabilities: [-0.7], runnersUp: [{ token: 9, logProbability: -0.8 }] };
    const outcome = await fixture.complete('return ║\n}\n', { trigger: 'invoked' });
    expect(outcome).toMatchObject({ suggestions: [{ text: 'left;' }] });
    expect(engine.requests).toHaveLength(2);
  });
});
