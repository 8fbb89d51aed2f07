import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { METRICS } from '../scripted-engine.js';
import { CompletionFixture, requestAt, settle, URI } from './completion-fixture.js';

let fixture: CompletionFixture;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
});

afterEach(() => {
  vi.useRealTimers();
  fixture.service.dispose();
});

describe('reuse before compute', () => {
  const asked = (): number => fixture.engine.requests.length;

  it('continues an answer along typed text, without the engine, under the same id', async () => {
    fixture.engine.pieces = ['left + right;'];
    await fixture.complete('return ║\n}\n');
    const outcome = await fixture.complete('return le║\n}\n');
    expect(outcome).toMatchObject({ suggestions: [{ id: 1, text: 'ft + right;', start: 9 }] });
    expect(asked()).toBe(1);
    expect(fixture.service.decisions[0]).toMatchObject({ source: 'reused', outcome: 'shown', engine: null });
  });

  it('finds a suggestion again after a deletion', async () => {
    fixture.engine.pieces = ['left + right;'];
    await fixture.complete('return ║\n}\n');
    await fixture.complete('return left║\n}\n');
    expect(await fixture.textAt('return l║\n}\n')).toBe('eft + right;');
    expect(asked()).toBe(1);
  });

  it('continues across a line break with the indentation of the editor, and CRLF', async () => {
    fixture.engine.pieces = ['{\n  first();\n  second();\n}'];
    await fixture.complete('if (a) ║');
    expect(await fixture.textAt('if (a) {\r\n    ║')).toBe('first();\r\n  second();\r\n}');
    expect(asked()).toBe(1);
  });

  it('continues before the bracket that the editor added', async () => {
    fixture.engine.pieces = ['total(items);'];
    await fixture.complete('const sum = ║\n');
    const outcome = await fixture.complete('const sum = total(║)\n');
    expect(outcome).toMatchObject({ suggestions: [{ text: 'items);', start: 18, end: 19 }] });
    expect(asked()).toBe(1);
  });

  it('asks again if the typed text differs, with the old text as a draft if the surroundings changed', async () => {
    fixture.engine.pieces = ['left + right;'];
    await fixture.complete('return ║\n}\n');
    await fixture.complete('return x║\n}\n');
    expect(asked()).toBe(2);
    expect(fixture.engine.requests[1]?.draft).toBeUndefined();
    await fixture.complete('return ║\n}\n\nmore();\n');
    expect(asked()).toBe(3);
    expect(fixture.engine.requests[2]?.draft).toBe('left + right;');
  });

  it.each([
    ['console.log(║)', 'console.log("║")', 'console.log("hi║")', 'console.log("hi"║)'],
    ['const a = f(b, [║])', 'const a = f(b, ["║"])', 'const a = f(b, ["hi║"])', 'const a = f(b, ["hi"║])'],
    ['a = ║\n', 'a = "║"\n', 'a = "hi║"\n', 'a = "hi"║\n'],
    ['f(a,\n  ║)', 'f(a,\n  "║")', 'f(a,\n  "hi║")', 'f(a,\n  "hi"║)'],
  ])('goes on behind a quote that the editor closes: %s', async (before, ...keys) => {
    fixture.engine.pieces = ['"hi" + there'];
    expect(await fixture.textAt(before)).toBe('"hi" + there');
    const texts: (string | null)[] = [];
    for (const [index, key] of keys.entries()) texts.push(await fixture.textAt(key, { version: index + 2 }));
    expect(texts).toEqual(['hi" + there', '" + there', ' + there']);
    expect(asked()).toBe(1);
  });

  it('goes on behind a bracket that the editor closes before one of an earlier line', async () => {
    fixture.engine.pieces = ['f(a) + b'];
    await fixture.complete('g(\n  b, ║)\n');
    const keys = ['f║)\n', 'f(║))\n', 'f(a║))\n', 'f(a)║)\n'].map((line) => `g(\n  b, ${line}`);
    for (const [index, key] of keys.entries()) {
      const { text } = requestAt(key).document;
      const outcome = await fixture.complete(key, { version: index + 2 });
      const [first] = outcome.kind === 'suggestions' ? outcome.suggestions : [];
      const whole = first && text.slice(0, first.start) + first.text + text.slice(first.end);
      expect(whole).toBe('g(\n  b, f(a) + b)\n');
    }
    expect(asked()).toBe(1);
  });

  it.each([
    ['if (║) {\n}', 'a) {', 'if (a║) {\n}', 'if (a)║ {\n}'],
    ['f(║);\n', 'a);', 'f(a║);\n', 'f(a)║;\n'],
    ['f = "║";\n', 'a";', 'f = "a║";\n', 'f = "a"║;\n'],
  ])('never repeats the rest of a line behind a closer: %s', async (before, piece, inside, behind) => {
    fixture.engine.pieces = [piece];
    await fixture.complete(before);
    fixture.engine.pieces = [''];
    await fixture.complete(inside, { version: 2 });
    expect(await fixture.textAt(behind, { version: 3 })).toBeNull();
  });

  it('asks again when the suggestion is used up', async () => {
    fixture.engine.pieces = ['left'];
    await fixture.complete('return ║\n');
    await fixture.complete('return left║\n');
    expect(asked()).toBe(2);
  });

  it('caches an empty answer', async () => {
    fixture.engine.pieces = ['   '];
    await fixture.complete('a║');
    expect(await fixture.complete('a║')).toMatchObject({ kind: 'none', reason: 'filtered' });
    expect(asked()).toBe(1);
  });

  it('asks again where the time ended before the first word, and says so', async () => {
    fixture.engine.pieces = [];
    fixture.engine.stopReason = 'timeBudget';
    expect(await fixture.complete('return ║\n')).toMatchObject({
      reason: 'filtered',
      detail: expect.stringMatching(/time/i),
    });
    fixture.engine.pieces = ['left;'];
    fixture.engine.stopReason = 'endOfText';
    expect(await fixture.textAt('return ║\n')).toBe('left;');
  });

  it('asks again where a filter hid what the time cut off', async () => {
    fixture.engine.pieces = ['{'];
    fixture.engine.stopReason = 'timeBudget';
    expect(await fixture.complete('if (a) ║\n')).toMatchObject({ reason: 'filtered' });
    fixture.engine.stopReason = 'endOfText';
    fixture.engine.pieces = ['b();'];
    expect(await fixture.textAt('if (a) ║\n')).toBe('b();');
  });

  it('says again why it hid a suggestion', async () => {
    fixture.engine.pieces = ['   '];
    const first = await fixture.complete('a║');
    expect(first).toMatchObject({ reason: 'filtered', detail: expect.stringContaining('blank') });
    expect(await fixture.complete('a║')).toEqual(first);
  });

  it('always asks the engine when the user does', async () => {
    await fixture.complete('a║');
    await fixture.complete('a║', { trigger: 'invoked' });
    expect(asked()).toBe(2);
  });

  it('forgets a document that is closed', async () => {
    await fixture.complete('a║');
    fixture.service.documentClosed(URI);
    await fixture.complete('a║');
    expect(asked()).toBe(2);
  });

  it('keeps documents apart', async () => {
    await fixture.complete('a║');
    await fixture.complete('a║', { uri: 'file:///b.ts' });
    expect(asked()).toBe(2);
  });

  it('says that the engine made what follows a joined request whose answer was hidden', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    fixture.engine.pieces = ['first(', ');'];
    fixture.engine.pieceGate = (index) => (index === 1 ? opened : Promise.resolve());
    const hidden = fixture.complete('{\n  ║\n  first();\n}\n');
    await settle();
    const typed = fixture.complete('{\n  f║\n  first();\n}\n', { version: 2 });
    fixture.engine.pieces = ['or (;;) {}'];
    open();
    expect(await hidden).toMatchObject({ reason: 'filtered' });
    expect(await typed).toMatchObject({ kind: 'suggestions' });
    expect(asked()).toBe(2);
    expect(fixture.service.decisions[0]).toMatchObject({ source: 'engine' });
  });

  it('joins a running request and continues along typed text', async () => {
    let open: () => void = () => undefined;
    fixture.engine.pieces = ['left', ' + right;'];
    fixture.engine.gate = new Promise((resolve) => {
      open = resolve;
    });
    const gone = new AbortController();
    const first = fixture.complete('return ║\n}\n', {}, gone);
    await settle();
    gone.abort();
    expect(await first).toMatchObject({ reason: 'cancelled' });
    const second = fixture.complete('return ║\n}\n');
    open();
    expect(await second).toMatchObject({ suggestions: [{ text: 'left + right;' }] });
    expect(asked()).toBe(1);
    expect(fixture.service.decisions[0]).toMatchObject({ source: 'joined' });
  });
});

describe('an anchor', () => {
  it('keeps prefix and suffix of the prompt while the middle grows', async () => {
    fixture.engine.pieces = ['z'];
    await fixture.complete('a();\nb(║)\nc();\n');
    await fixture.complete('a();\nb(1, ║)\nc();\n');
    await fixture.complete('a();\nb(1, 2);\nd║\nc();\n');
    await fixture.complete('a();\nb(1, 2);\nd║;\nc();\n');
    const frame = [95, 'a.ts\n', 90, 91, '\nc();\n', 92];
    expect(fixture.engine.requests.map(({ prompt }) => prompt)).toEqual([
      [...frame, 'a();\n', 'b('],
      [...frame, 'a();\n', 'b(1, '],
      [...frame, 'a();\n', 'b(1, 2);\nd'],
      [95, 'a.ts\n', 90, 91, ';\nc();\n', 92, 'a();\nb(1, 2);\n', 'd'],
    ]);
    const reasons = fixture.service.decisions.map(({ reanchored }) => reanchored);
    expect(reasons).toEqual(['suffixChanged', null, null, 'firstRequest']);
  });

  it('moves up in idle time, evaluated ahead', async () => {
    vi.useFakeTimers();
    fixture.engine.pieces = ['z'];
    await fixture.complete('a();\n║');
    const [above, below] = ['a();\n'.repeat(12), 'b();\n'.repeat(8)];
    const grown = above + below;
    await fixture.complete(`${grown}║`);
    await vi.advanceTimersByTimeAsync(1000);
    expect(fixture.engine.requests.at(-1)).toMatchObject({ maxTokens: 0, priority: 'background' });
    vi.useRealTimers();
    await fixture.complete(`${grown}g║`);
    expect(fixture.engine.requests.at(-1)?.prompt).toEqual([95, 'a.ts\n', 90, above, 91, 92, below, 'g']);
    expect(fixture.service.decisions[0]?.reanchored).toBeNull();
  });

  it('is made at the resting cursor, before the first key', async () => {
    vi.useFakeTimers();
    fixture.service.cursorMoved(requestAt('a();\nb();\n  ║\nc();\n', { trigger: 'prepared' }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(fixture.engine.requests).toMatchObject([{ maxTokens: 0, priority: 'background' }]);
  });

  it('is interrupted by a key', async () => {
    vi.useFakeTimers();
    fixture.service.cursorMoved(requestAt('a();\n║', { trigger: 'prepared' }));
    const answer = fixture.complete('a();\nx║');
    await vi.advanceTimersByTimeAsync(50);
    await answer;
    expect(fixture.engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([64]);
  });
});

describe('a slow engine', () => {
  it('shows whole lines early, and keeps the rest for the next key', async () => {
    vi.useFakeTimers();
    fixture.engine.pieces = ['{\n  first();\n', '  second();\n}\n'];
    fixture.engine.pieceGate = (index) =>
      index === 1 ? new Promise((resolve) => setTimeout(resolve, 1500)) : Promise.resolve();
    const answer = fixture.complete('if (a) ║');
    await vi.advanceTimersByTimeAsync(500);
    expect(await answer).toMatchObject({ suggestions: [{ id: 1, text: '{\n  first();' }], partial: true });
    await vi.advanceTimersByTimeAsync(1500);
    const rest = await fixture.complete('if (a) {║');
    expect(rest).toMatchObject({ suggestions: [{ id: 1, text: '\n  first();\n  second();\n}' }], partial: false });
    // It stops once to tell how sure it was, and goes on.
    expect(fixture.engine.requests).toHaveLength(2);
  });

  it('is as fast as the user sees the first part, however long the rest takes', async () => {
    vi.useFakeTimers();
    fixture.engine.pieces = ['{\n  first();\n', '  second();\n}\n'];
    fixture.engine.pieceGate = (index) =>
      index === 1 ? new Promise((resolve) => setTimeout(resolve, 1500)) : Promise.resolve();
    const answer = fixture.complete('if (a) ║');
    await vi.advanceTimersByTimeAsync(5000);
    expect(await answer).toMatchObject({ partial: true });
    const [decision] = fixture.service.decisions;
    expect(decision?.latencyMs).toBeGreaterThanOrEqual(400);
    expect(fixture.service.lastCompletion?.latencyMs).toBe(decision?.latencyMs);
    expect(fixture.service.latencies.percentile(0.5)).toBe(decision?.latencyMs);
  });

  it('says what the whole suggestion took, not what was left after the first part', async () => {
    vi.useFakeTimers();
    fixture.engine.pieces = ['{\n  first();\n', '  second();\n}\n'];
    fixture.engine.pieceGate = (index) =>
      index === 1 ? new Promise((resolve) => setTimeout(resolve, 1500)) : Promise.resolve();
    const { local } = METRICS;
    if (local === null) throw new Error('The engine is no local one');
    const cold = { ...METRICS, promptTokens: 900, reusedTokens: 0, generatedTokens: 4, prefillMs: 300, decodeMs: 90 };
    const rest = { ...METRICS, promptTokens: 900, reusedTokens: 899, generatedTokens: 9, prefillMs: 2, decodeMs: 110 };
    const parts = [
      { ...cold, local: { ...local, evaluatedTokens: 904, rounds: 4 } },
      { ...rest, local: { ...local, evaluatedTokens: 6, rounds: 5, replayedTokens: 4 } },
    ];
    fixture.engine.measure = () => parts.shift() ?? METRICS;
    void fixture.complete('if (a) ║');
    await vi.advanceTimersByTimeAsync(5000);
    expect(fixture.service.lastCompletion).toMatchObject({
      promptTokens: 900,
      reusedTokens: 0,
      generatedTokens: 9,
      replayedTokens: 0,
      decodedTokens: 9,
      prefillMs: 302,
      decodeMs: 200,
    });
  });

  it('shows what there is as soon as there is something, after it has read a long prompt', async () => {
    vi.useFakeTimers();
    fixture.engine.pieces = ['{\n  first();\n', '  second();\n}\n'];
    fixture.engine.pieceGate = (index) => new Promise((resolve) => setTimeout(resolve, index === 0 ? 700 : 5000));
    let answer: unknown = null;
    void fixture.complete('if (a) ║').then((outcome) => (answer = outcome));
    await vi.advanceTimersByTimeAsync(690);
    expect(answer).toBeNull();
    await vi.advanceTimersByTimeAsync(1000);
    expect(answer).toMatchObject({ suggestions: [{ text: '{\n  first();' }], partial: true });
  });

  it('shows what it is sure of as soon as there is enough, where the first word was too little', async () => {
    vi.useFakeTimers();
    fixture.engine.pieces = ['ab ', '+ firstNumber ', '+ second', ';'];
    const scores = fixture.engine.pieces.map(({ length }) => ({ length, logProbability: Math.log(0.95) }));
    fixture.engine.choices = { scores };
    const begun = Date.now();
    const times = [0, 700, 1300, 5000];
    fixture.engine.pieceGate = (index) =>
      new Promise((resolve) => setTimeout(resolve, begun + (times[index] ?? 0) - Date.now()));
    let answer: unknown = null;
    void fixture.complete('return ║\n}\n').then((outcome) => (answer = outcome));
    await vi.advanceTimersByTimeAsync(690);
    expect(answer).toBeNull();
    await vi.advanceTimersByTimeAsync(300);
    expect(answer).toMatchObject({ suggestions: [{ text: 'ab + firstNumber' }], partial: true });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await fixture.textAt('return ab + firstNumber║\n}\n', { version: 2 })).toBe(' + second;');
    // It stopped twice to tell how sure it was, not where nothing had come since.
    expect(fixture.engine.requests).toHaveLength(3);
  });

  it('is asked after a pause only', async () => {
    for (let index = 0; index < 12; index += 1) fixture.service.latencies.add({ workMs: 500, latencyMs: 500 });
    vi.useFakeTimers();
    const gone = new AbortController();
    const overtaken = fixture.complete('a║', {}, gone);
    await vi.advanceTimersByTimeAsync(50);
    gone.abort();
    const answered = fixture.complete('ab║');
    await vi.advanceTimersByTimeAsync(300);
    expect(await overtaken).toMatchObject({ reason: 'cancelled' });
    expect(await answered).toMatchObject({ kind: 'suggestions' });
    expect(fixture.engine.requests).toHaveLength(1);
    const [decision] = fixture.service.decisions;
    expect(decision?.debounceMs).toBe(200);
    // Every number of one suggestion counts from its request's arrival.
    expect(fixture.service.lastCompletion?.latencyMs).toBeGreaterThanOrEqual(200);
    expect(fixture.service.lastCompletion?.latencyMs).toBe(decision?.latencyMs);
  });
});
