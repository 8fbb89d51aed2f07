import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CompletionRequest } from '../../../../server/src/completion/request/completion-request.js';
import { CompletionFixture, URI } from './completion-fixture.js';

/** Far more than the prompt's tokens spell. */
const LONGEST_PROMPT = 16_384;
const HUGE = 50_000_000;
const LONG = 1_000_000;

let fixture: CompletionFixture;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fixture = await CompletionFixture.ready();
  fixture.engine.pieces = ['answer(', ')'];
});

afterEach(() => {
  fixture.service.dispose();
  vi.useRealTimers();
});

function requestIn(text: string, offset: number, trigger: CompletionRequest['trigger']): CompletionRequest {
  const document = { uri: URI, languageId: 'typescript', version: 1, text, path: 'a.ts' };
  return { document, offset, position: { line: 0, character: offset }, selected: null, trigger };
}

function promptLengths(): number[] {
  return fixture.engine.requests.map(({ prompt }) =>
    prompt.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 1), 0),
  );
}

it.each([
  ['50 MB in one line', () => 'x'.repeat(HUGE)],
  ['50 MB in short lines', () => 'const a = 1;\n'.repeat(HUGE / 13)],
  ['a line of blanks', () => ' '.repeat(LONG)],
  ['blank lines', () => '\n'.repeat(LONG)],
  ['carriage returns', () => '\r'.repeat(LONG)],
  ['zeros', () => '\0'.repeat(LONG)],
  ['lone surrogates', () => '\ud800'.repeat(LONG)],
  ['surrogate pairs', () => '\u{1f600}'.repeat(LONG / 2)],
  ['opening brackets', () => '('.repeat(LONG)],
  ['closing brackets', () => ')'.repeat(LONG)],
  ['slashes', () => 'a/'.repeat(LONG / 2)],
  ['quotes', () => '"'.repeat(LONG)],
])('%s: a request reads a window and sends a short prompt', async (_name, make) => {
  const text = make();
  for (const offset of [0, text.length >> 1, text.length]) {
    const invoked = await fixture.service.complete(requestIn(text, offset, 'invoked'), new AbortController().signal);
    expect(invoked.kind === 'suggestions' || invoked.reason === 'filtered').toBe(true);
    await fixture.service.complete(requestIn(text, offset, 'automatic'), new AbortController().signal);
    fixture.service.cursorMoved(requestIn(text, offset, 'prepared'));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(Math.max(...promptLengths())).toBeLessThan(LONGEST_PROMPT);
  expect(fixture.errors).toEqual([]);
});

it('an edit of 50 MB is one edit', () => {
  const inserted = 'x'.repeat(HUGE);
  fixture.service.documentEdited(URI, 2, [{ offset: 0, removed: '', inserted }]);
  fixture.service.documentEdited(URI, 3, [{ offset: 0, removed: inserted, inserted: '' }]);
  expect(fixture.errors).toEqual([]);
});
