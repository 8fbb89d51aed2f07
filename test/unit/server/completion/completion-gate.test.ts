import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Asked, CompletionFixture, URI } from './completion-fixture.js';

let fixture: CompletionFixture;

beforeEach(async () => {
  fixture = await CompletionFixture.ready();
});

afterEach(() => {
  vi.useRealTimers();
  fixture.service.dispose();
});

/** The engine says these, each with its probability. */
function says(...parts: readonly (readonly [text: string, probability: number])[]): void {
  fixture.engine.pieces = parts.map(([text]) => text);
  const scores = parts.map(([text, probability]) => ({ length: text.length, logProbability: Math.log(probability) }));
  fixture.engine.choices = { scores };
}

describe('a suggestion', () => {
  it('goes as far as it is sure; the rest comes from the cache as the user types on', async () => {
    says(['firstNumber', 0.99], [' + ', 0.98], ['unsure', 0.02], ['(a);', 0.99]);
    const outcome = await fixture.complete('return ║\n}\n');
    expect(outcome).toMatchObject({ suggestions: [{ id: 1, text: 'firstNumber', leftOut: 13 }], partial: false });
    expect(await fixture.textAt('return first║\n}\n')).toBe('Number');
    expect(fixture.engine.requests).toHaveLength(1);
  });

  it('says in its decision how sure it is, and that the rest was left out', async () => {
    says(['firstNumber', 0.99], [' + ', 0.98], ['unsure', 0.02], ['(a);', 0.99]);
    await fixture.complete('return ║\n}\n');
    const [decision] = fixture.service.decisions;
    expect(decision?.chance).toBeGreaterThan(0.5);
    expect(decision?.sentence).toMatch(/^Suggested 11 characters, .*The rest was too unsure\.$/);
  });

  it('is not shown where its first words are unlikely; the decision says the chance', async () => {
    says(['improbableName', 0.001], ['();', 0.9]);
    expect(await fixture.complete('return ║\n}\n')).toMatchObject({ kind: 'none', reason: 'unsure' });
    expect(fixture.service.decisions[0]).toMatchObject({ outcome: 'nothing', reason: 'unsure', source: null });
    expect(fixture.service.decisions[0]?.sentence).toMatch(/chance of only \d%/);
    // At the same place the answer is known.
    await fixture.complete('return ║\n}\n');
    expect(fixture.engine.requests).toHaveLength(1);
  });

  it('is asked for again at the next key, since the model then knows more', async () => {
    says(['improbableName', 0.001], ['();', 0.9]);
    await fixture.complete('return ║\n}\n');
    says(['mprobableName', 0.99], ['();', 0.99]);
    expect(await fixture.textAt('return i║\n}\n')).toBe('mprobableName();');
    expect(fixture.engine.requests).toHaveLength(2);
  });

  it('is whole where the user asks for it', async () => {
    says(['improbableName', 0.001], ['();', 0.9]);
    expect(await fixture.textAt('return ║\n}\n', { trigger: 'invoked' })).toBe('improbableName();');
  });

  it('stays whole where the editor asks again before it is made, as when its suggest widget opens', async () => {
    says(['improbableName', 0.001], ['();', 0.9]);
    const closing = new AbortController();
    const asked = fixture.complete('return ║\n}\n', { trigger: 'invoked' }, closing);
    const again = fixture.textAt('return ║\n}\n', { selected: { start: 7, text: '' } });
    closing.abort();
    expect(await asked).toMatchObject({ kind: 'none', reason: 'cancelled' });
    expect(await again).toBe('improbableName();');
  });

  it('is no longer asked for by command once the document was closed and opened again', async () => {
    await fixture.complete('return ║\n}\n', { trigger: 'invoked' });
    fixture.service.documentClosed(URI);
    await fixture.complete('return ║\n}\n');
    expect(fixture.service.decisions.map(({ trigger }) => trigger)).toEqual(['automatic', 'invoked']);
  });

  it.each([
    ['the engine does not tell', []],
    ['the engine sends what is no probability', [{ length: 17, logProbability: Number.NaN }]],
    ['the engine sends a length that is none', [{ length: Number.NaN, logProbability: -1 }]],
  ])('is whole where %s how sure it is', async (_why, scores) => {
    fixture.engine.pieces = ['improbableName();'];
    fixture.engine.choices = { scores };
    expect(await fixture.textAt('return ║\n}\n')).toBe('improbableName();');
  });
});

/** The probability of a word of about eleven characters that is shown, but not inside a word typed fast. */
const WORTH_A_LOOK = 0.15;

describe('while the user types', () => {
  it('a shown suggestion that still fits stays, though it would not be new there', async () => {
    says(['ab', 0.9999], ['();', 0.9999]);
    expect(await fixture.textAt('return ║\n}\n')).toBe('ab();');
    says(['b', 0.01], ['();', 0.01]);
    expect(await fixture.textAt('return a║\n}\n')).toBe('b();');
  });

  it('a doubtful suggestion is new between words, and not inside a word typed fast', async () => {
    says(['possibleName', WORTH_A_LOOK], ['();', 0.9]);
    expect(await fixture.textAt('return ║\n}\n')).toMatch(/^possibleName/);
    await fixture.complete('call(║\n}\n', { version: 2 });
    says(['ossibleName', WORTH_A_LOOK], ['();', 0.9]);
    expect(await fixture.textAt('const p║\n}\n', { version: 3 })).toBeNull();
  });
});

it('the suggest widget, which asks again for each item, makes nobody a fast typist', async () => {
  vi.useFakeTimers();
  says(['possibleName', WORTH_A_LOOK], ['();', 0.9]);
  const doubtful = await fixture.textAt('const p║\n}\n', { version: 1 });
  expect(doubtful).not.toBeNull();
  const selected = { start: 6, text: 'pos' };
  says(['sibleNameOf', WORTH_A_LOOK], ['();', 0.9]);
  await vi.advanceTimersByTimeAsync(5);
  expect(await fixture.textAt('const p║\n}\n', { version: 1, selected })).not.toBeNull();
  await vi.advanceTimersByTimeAsync(100);
  expect(await fixture.textAt('let q║\n}\n', { version: 2 })).toBeNull();
});

describe('a text that is pasted behind an answer that says the same', () => {
  /** Whether Inkling takes the text for an accepted suggestion, after which it goes on suggesting. */
  async function isTakenForAccepted(asked: Asked, editedMeanwhile: boolean): Promise<boolean> {
    says(['left', 0.99], ['();', 0.99]);
    const outcome = fixture.complete('return ║\n}\n', asked);
    if (editedMeanwhile) fixture.service.documentEdited(URI, 2, [{ offset: 9, removed: '', inserted: ' ' }]);
    expect(await outcome).toMatchObject({ suggestions: [{ text: 'left();' }] });
    fixture.service.documentEdited(URI, 3, [{ offset: 7, removed: '', inserted: 'left();' }]);
    const next = await fixture.complete('return left();║\n}\n', { version: 3 });
    return !(next.kind === 'none' && next.reason === 'afterPaste');
  }

  it.each([
    ['accepted, where the editor has shown it', {}, false, true],
    ['pasted, where it was only prepared', { trigger: 'prepared' as const }, false, false],
    ['pasted, where the document had changed when it came', {}, true, false],
  ])('counts as %s', async (_as, asked, editedMeanwhile, accepted) => {
    expect(await isTakenForAccepted(asked, editedMeanwhile)).toBe(accepted);
  });
});

describe('a text that is not complete after 0.4 seconds', () => {
  /** Lets the engine say two of three pieces, and returns the answer with the way to let it go on. */
  async function asked(probability: number) {
    vi.useFakeTimers();
    says(['firstNumber', probability], [' + ', 0.99], ['other;', 0.99]);
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    fixture.engine.pieceGate = (index) => (index < 2 ? Promise.resolve() : held);
    let answered = false;
    const outcome = fixture.complete('return ║\n}\n').finally(() => {
      answered = true;
    });
    await vi.advanceTimersByTimeAsync(450);
    return { outcome, go, isAnswered: () => answered };
  }

  it('is shown as far as it is sure, and the whole of it is there afterwards', async () => {
    const { outcome, go } = await asked(0.99);
    expect(await outcome).toMatchObject({
      partial: true,
      suggestions: [{ text: expect.stringMatching(/^firstNumber/) }],
    });
    go();
    await vi.advanceTimersByTimeAsync(10);
    expect(await fixture.textAt('return ║\n}\n')).toBe('firstNumber + other;');
  });

  it('is not shown where it is unlikely', async () => {
    const { outcome, go, isAnswered } = await asked(0.001);
    expect(isAnswered()).toBe(false);
    go();
    await vi.advanceTimersByTimeAsync(10);
    expect(await outcome).toMatchObject({ kind: 'none', reason: 'unsure' });
  });
});
