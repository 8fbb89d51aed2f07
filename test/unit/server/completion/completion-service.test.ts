import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS, type InklingSettings } from '../../../../server/protocol/index.js';
import type { CompletionOutcome } from '../../../../server/src/completion/completion-outcome.js';
import type { CompletionRequest, Trigger } from '../../../../server/src/completion/completion-request.js';
import { CompletionService } from '../../../../server/src/completion/completion-service.js';
import type { ContextProvider } from '../../../../server/src/completion/context-provider.js';
import type { SelectedItem } from '../../../../server/src/completion/cursor-context.js';
import { EngineError } from '../../../../server/src/engine/engine-error.js';
import { EngineHost } from '../../../../server/src/engine/engine-host.js';
import { EMPTY_CONTEXT } from '../../../../server/src/prompt/context-block.js';
import { cursorFixture } from '../../../support/cursor-fixture.js';
import { LEXICAL } from '../../../support/cursor-syntax.js';
import { ScriptedEngine, SILENT } from '../scripted-engine.js';

const URI = 'file:///a.ts';
const NO_CONTEXT: ContextProvider = { contextFor: () => EMPTY_CONTEXT, visited: () => undefined };
const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let engine: ScriptedEngine;
let settings: InklingSettings;
let service: CompletionService;
let host: EngineHost;

beforeEach(async () => {
  engine = new ScriptedEngine();
  settings = DEFAULT_SETTINGS;
  host = new EngineHost(() => engine, SILENT);
  service = new CompletionService(host, () => settings, LEXICAL, NO_CONTEXT, SILENT);
  host.want({ path: '/model.gguf' });
  await settle();
  engine.finishLoad();
  await settle();
});

afterEach(() => {
  vi.useRealTimers();
  service.dispose();
});

interface Asked {
  readonly selected?: SelectedItem;
  readonly trigger?: Trigger;
  readonly uri?: string;
  readonly version?: number;
}

function requestAt(marked: string, { selected, trigger = 'automatic', uri = URI, version = 1 }: Asked = {}) {
  const { text, offset } = cursorFixture(marked);
  const before = text.slice(0, offset).split('\n');
  const request: CompletionRequest = {
    document: { uri, languageId: 'typescript', version, text, path: 'a.ts' },
    offset,
    position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
    selected: selected ?? null,
    trigger,
  };
  return request;
}

function complete(marked: string, asked: Asked = {}, signal = never): Promise<CompletionOutcome> {
  return service.complete(requestAt(marked, asked), signal);
}

/** The text of the first suggestion; null where there is none. */
async function textAt(marked: string, asked: Asked = {}): Promise<string | null> {
  const outcome = await complete(marked, asked);
  return outcome.kind === 'suggestions' ? (outcome.suggestions[0]?.text ?? null) : null;
}

describe('a suggestion', () => {
  it('comes from a prompt around the cursor', async () => {
    engine.pieces = ['left', ' + right;'];
    const outcome = await complete('return ║\n}\n');
    const suggestion = { id: 1, text: 'left + right;', start: 7, end: 7 };
    expect(outcome).toEqual({ kind: 'suggestions', suggestions: [suggestion], partial: false });
    expect(engine.requests).toEqual([
      {
        prompt: [95, 'a.ts\n', 90, 91, '\n}\n', 92, 'return '],
        marks: [2, 3, 5],
        heal: true,
        maxTokens: 64,
        stop: [],
        stopTokens: [90, 91, 92, 93, 94, 95],
        timeBudgetMs: 2000,
      },
    ]);
    expect(service.lastCompletion).toMatchObject({ promptTokens: 10, reusedTokens: 4, generatedTokens: 3 });
  });

  it('comes from a prompt that shows other files first, the same ones at every key', async () => {
    const asked: unknown[] = [];
    const contextFor = (...place: unknown[]) => {
      asked.push(place.slice(1));
      const snippets = [{ path: 'b.ts', text: `export const b = ${asked.length};\n`, why: 'openFile' as const }];
      return { repository: 'work', languageId: 'typescript', snippets };
    };
    service = new CompletionService(host, () => settings, LEXICAL, { ...NO_CONTEXT, contextFor }, SILENT);
    await complete('return ║\n');
    await complete('return a║\n');
    const before = [94, 'work\n', 95, 'b.ts\nexport const b = 1;\n', 95, 'a.ts\n', 90, 91, '\n', 92];
    expect(engine.requests[0]).toMatchObject({ prompt: [...before, 'return '], marks: [6, 7, 9] });
    expect(engine.requests[1]).toMatchObject({ prompt: [...before, 'return a'], marks: [6, 7, 9] });
    expect(asked.slice(0, 2)).toEqual([
      [7, expect.any(Number)],
      [8, expect.any(Number)],
    ]);

    service.contextRevoked(URI);
    await complete('return ab║\n');
    expect(engine.requests.at(-1)?.prompt).toContain('b.ts\nexport const b = 3;\n');
  });

  it('has the line ends of the document', async () => {
    engine.pieces = ['\n  a();\n}\n'];
    expect(await textAt('if (a) {║\r\nb();\r\n')).toBe('\r\n  a();\r\n}');
  });

  it('stops the engine where the block ends', async () => {
    engine.pieces = ['\n  a();', '\n}\n', 'more', 'and more'];
    expect(await textAt('if (a) {║')).toBe('\n  a();\n}');
  });

  it('extends the selected item', async () => {
    engine.pieces = ['("hello")'];
    const outcome = await complete('console.lo║', { selected: { start: 8, text: 'log' } });
    expect(outcome).toMatchObject({ suggestions: [{ text: 'log("hello")', start: 8, end: 10 }] });
    expect(engine.requests[0]?.prompt).toContain('console.log');
  });

  it('is asked for again with a shorter prompt when the estimate was wrong', async () => {
    engine.failure = new EngineError('promptTooLong', 'Too long');
    expect((await complete(`${'x = 1\n'.repeat(2000)}║`)).kind).toBe('suggestions');
    const [first, second] = engine.requests.map(({ prompt }) => prompt.join('').length);
    expect(second).toBeLessThan((first ?? 0) / 2);
  });
});

describe('no suggestion', () => {
  it('while Inkling is switched off', async () => {
    settings = { ...DEFAULT_SETTINGS, enabled: false };
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'disabled' });
  });

  it('in a language that is switched off', async () => {
    settings = { ...DEFAULT_SETTINGS, languages: { typescript: false } };
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'languageDisabled' });
  });

  it('before a model is loaded', async () => {
    service = new CompletionService(new EngineHost(() => engine, SILENT), () => settings, LEXICAL, NO_CONTEXT, SILENT);
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'modelNotReady' });
  });

  it('when the filters leave nothing', async () => {
    engine.pieces = ['   '];
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'filtered', detail: 'The suggestion is blank.' });
  });

  it('when the engine fails', async () => {
    engine.failure = new EngineError('decodeFailed', 'No decode');
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'engineError', detail: 'decodeFailed: No decode' });
  });

  it('after the caller gave up', async () => {
    const controller = new AbortController();
    engine.gate = new Promise(() => undefined);
    const outcome = complete('a║', {}, controller.signal);
    controller.abort();
    expect(await outcome).toEqual({ kind: 'none', reason: 'cancelled' });
  });

  it('for a request that a later one has overtaken', async () => {
    const older = complete('a║');
    const newer = complete('ab║');
    expect((await older).kind).toBe('none');
    expect((await newer).kind).toBe('suggestions');
  });
});

describe('reuse before compute', () => {
  const asked = (): number => engine.requests.length;

  it('goes on along what was typed, without the engine, under the same id', async () => {
    engine.pieces = ['left + right;'];
    await complete('return ║\n}\n');
    const outcome = await complete('return le║\n}\n');
    expect(outcome).toMatchObject({ suggestions: [{ id: 1, text: 'ft + right;', start: 9 }] });
    expect(asked()).toBe(1);
    expect(service.decisions[0]).toMatchObject({ source: 'reused', outcome: 'shown', engine: null });
  });

  it('finds its way back after deleting', async () => {
    engine.pieces = ['left + right;'];
    await complete('return ║\n}\n');
    await complete('return left║\n}\n');
    expect(await textAt('return l║\n}\n')).toBe('eft + right;');
    expect(asked()).toBe(1);
  });

  it('goes on across a line break with the indentation of the editor, and CRLF', async () => {
    engine.pieces = ['{\n  first();\n  second();\n}'];
    await complete('if (a) ║');
    expect(await textAt('if (a) {\r\n    ║')).toBe('first();\r\n  second();\r\n}');
    expect(asked()).toBe(1);
  });

  it('goes on in front of the bracket that the editor added', async () => {
    engine.pieces = ['total(items);'];
    await complete('const sum = ║\n');
    const outcome = await complete('const sum = total(║)\n');
    expect(outcome).toMatchObject({ suggestions: [{ text: 'items);', start: 18, end: 19 }] });
    expect(asked()).toBe(1);
  });

  it('asks anew where the typing departs, and hands the old text in as a draft where the surroundings changed', async () => {
    engine.pieces = ['left + right;'];
    await complete('return ║\n}\n');
    await complete('return x║\n}\n');
    expect(asked()).toBe(2);
    expect(engine.requests[1]?.draft).toBeUndefined();
    await complete('return ║\n}\n\nmore();\n');
    expect(asked()).toBe(3);
    expect(engine.requests[2]?.draft).toBe('left + right;');
  });

  it('asks anew when the suggestion is used up', async () => {
    engine.pieces = ['left'];
    await complete('return ║\n');
    await complete('return left║\n');
    expect(asked()).toBe(2);
  });

  it('remembers that there was nothing', async () => {
    engine.pieces = ['   '];
    await complete('a║');
    expect(await complete('a║')).toMatchObject({ kind: 'none', reason: 'filtered' });
    expect(asked()).toBe(1);
  });

  it('always asks the engine when the user does', async () => {
    await complete('a║');
    await complete('a║', { trigger: 'invoked' });
    expect(asked()).toBe(2);
  });

  it('forgets a document that is closed', async () => {
    await complete('a║');
    service.documentClosed(URI);
    await complete('a║');
    expect(asked()).toBe(2);
  });

  it('keeps documents apart', async () => {
    await complete('a║');
    await complete('a║', { uri: 'file:///b.ts' });
    expect(asked()).toBe(2);
  });

  it('joins a request that is under way and goes on along what was typed', async () => {
    let open: () => void = () => undefined;
    engine.pieces = ['left', ' + right;'];
    engine.gate = new Promise((resolve) => {
      open = resolve;
    });
    const gone = new AbortController();
    const first = complete('return ║\n}\n', {}, gone.signal);
    await settle();
    gone.abort();
    expect(await first).toMatchObject({ reason: 'cancelled' });
    const second = complete('return ║\n}\n');
    open();
    expect(await second).toMatchObject({ suggestions: [{ text: 'left + right;' }] });
    expect(asked()).toBe(1);
    expect(service.decisions[0]).toMatchObject({ source: 'joined' });
  });
});

describe('an anchor', () => {
  it('keeps prefix and suffix of the prompt while the middle grows', async () => {
    engine.pieces = ['z'];
    await complete('a();\nb(║)\nc();\n');
    await complete('a();\nb(1, ║)\nc();\n');
    await complete('a();\nb(1, 2);\nd║\nc();\n');
    await complete('a();\nb(1, 2);\nd║;\nc();\n');
    const frame = [95, 'a.ts\n', 90, 'a();\n', 91, '\nc();\n', 92];
    expect(engine.requests.map(({ prompt }) => prompt)).toEqual([
      [...frame, 'b('],
      [...frame, 'b(1, '],
      [...frame, 'b(1, 2);\nd'],
      [95, 'a.ts\n', 90, 'a();\nb(1, 2);\n', 91, ';\nc();\n', 92, 'd'],
    ]);
    const reasons = service.decisions.map(({ reanchored }) => reanchored);
    expect(reasons).toEqual(['suffixChanged', null, null, 'firstRequest']);
  });

  it('moves up in idle time, evaluated ahead', async () => {
    vi.useFakeTimers();
    engine.pieces = ['z'];
    await complete('a();\n║');
    const grown = 'a();\nb();\nc();\nd();\ne();\nf();\n';
    await complete(`${grown}║`);
    await vi.advanceTimersByTimeAsync(1000);
    expect(engine.requests.at(-1)).toMatchObject({ maxTokens: 1 });
    vi.useRealTimers();
    await complete(`${grown}g║`);
    expect(engine.requests.at(-1)?.prompt).toEqual([95, 'a.ts\n', 90, grown, 91, 92, 'g']);
    expect(service.decisions[0]?.reanchored).toBeNull();
  });

  it('is made where the cursor rests, before the first key', async () => {
    vi.useFakeTimers();
    service.cursorMoved(requestAt('a();\nb();\n  ║\nc();\n', { trigger: 'prepared' }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(engine.requests).toMatchObject([{ maxTokens: 1 }]);
  });

  it('gives way to a key', async () => {
    vi.useFakeTimers();
    service.cursorMoved(requestAt('a();\n║', { trigger: 'prepared' }));
    const answer = complete('a();\nx║');
    await vi.advanceTimersByTimeAsync(50);
    await answer;
    expect(engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([64]);
  });
});

describe('a slow engine', () => {
  it('shows whole lines early, and says when the rest is there', async () => {
    vi.useFakeTimers();
    const grown = vi.fn();
    service.onDidGrow(grown);
    engine.pieces = ['{\n  first();\n', '  second();\n}\n'];
    engine.pieceGate = (index) =>
      index === 1 ? new Promise((resolve) => setTimeout(resolve, 1500)) : Promise.resolve();
    const answer = complete('if (a) ║');
    await vi.advanceTimersByTimeAsync(500);
    expect(await answer).toMatchObject({ suggestions: [{ id: 1, text: '{\n  first();' }], partial: true });
    expect(grown).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1500);
    expect(grown).toHaveBeenCalledTimes(1);
    // The client asks explicitly; that is no wish of the user's for more.
    const rest = await complete('if (a) ║', { trigger: 'invoked' });
    expect(rest).toMatchObject({ suggestions: [{ id: 1, text: '{\n  first();\n  second();\n}' }], partial: false });
    expect(engine.requests).toHaveLength(1);
  });

  it('is asked after a pause only', async () => {
    for (let index = 0; index < 12; index += 1) service.latencies.add(500);
    vi.useFakeTimers();
    const gone = new AbortController();
    const overtaken = complete('a║', {}, gone.signal);
    await vi.advanceTimersByTimeAsync(50);
    gone.abort();
    const answered = complete('ab║');
    await vi.advanceTimersByTimeAsync(300);
    expect(await overtaken).toMatchObject({ reason: 'cancelled' });
    expect(await answered).toMatchObject({ kind: 'suggestions' });
    expect(engine.requests).toHaveLength(1);
    expect(service.decisions[0]?.debounceMs).toBe(200);
  });
});

describe('edits', () => {
  it.each([
    ['deleting', [{ offset: 1, removed: 'b', inserted: '' }], 'afterDeletion'],
    ['pasting', [{ offset: 0, removed: '', inserted: 'some text' }], 'afterPaste'],
  ])('%s brings no suggestion by itself', async (_name, changes, reason) => {
    service.documentEdited(URI, 2, changes);
    expect(await complete('a║', { version: 2 })).toMatchObject({ kind: 'none', reason });
    expect((await complete('a║', { version: 2, trigger: 'invoked' })).kind).toBe('suggestions');
  });

  it('undo brings none, whether it is announced before or after the change', async () => {
    const typed = [{ offset: 0, removed: '', inserted: 'a' }];
    service.documentUndone(URI, 2);
    service.documentEdited(URI, 2, typed);
    service.documentUndone(URI, 2);
    expect(await complete('a║', { version: 2 })).toMatchObject({ reason: 'afterUndo' });
    service.documentEdited(URI, 3, typed);
    expect((await complete('aa║', { version: 3 })).kind).toBe('suggestions');
  });

  it('an accepted word or line is no paste', async () => {
    engine.pieces = ['left + right;'];
    await complete('return ║\n}\n');
    service.documentEdited(URI, 2, [{ offset: 7, removed: '', inserted: 'left' }]);
    expect(await textAt('return left║\n}\n', { version: 2 })).toBe(' + right;');
    service.documentEdited(URI, 3, [{ offset: 11, removed: '', inserted: ' + ' }]);
    expect(await textAt('return left + ║\n}\n', { version: 3 })).toBe('right;');
    service.documentEdited(URI, 4, [{ offset: 14, removed: '', inserted: 'something else' }]);
    expect(await complete('return left + something else║\n}\n', { version: 4 })).toMatchObject({
      reason: 'afterPaste',
    });
  });
});
