import { expect, it } from 'vitest';
import { acceptsWhole } from '../../../../../server/src/completion/feedback/accepted-change.js';

/** `f(a)` with the cursor before the parenthesis that the editor added. */
const BEFORE = 'f(a)\n';
const CLOSED = { start: 3, end: 4, text: ', b)' };
const OPEN = { start: 3, end: 3, text: ', b' };

function accepts(suggestion: typeof OPEN, ...changes: readonly (readonly [number, string, string])[]): boolean {
  let after = BEFORE;
  const made = changes.map(([offset, removed, inserted]) => {
    expect(after.startsWith(removed, offset)).toBe(true);
    after = after.slice(0, offset) + inserted + after.slice(offset + removed.length);
    return { offset, removed, inserted };
  });
  return acceptsWhole(suggestion, made, after);
}

it.each([
  ['the text is inserted', OPEN, [3, '', ', b']],
  ['it replaces its range', CLOSED, [3, ')', ', b)']],
  ['the client tells the smallest difference', CLOSED, [3, '', ', b']],
  ['the client tells the whole line', { start: 0, end: 4, text: 'f(a, b)' }, [0, 'f(a)', 'f(a, b)']],
] as const)('accepted, where %s', (_, suggestion, change) => {
  expect(accepts(suggestion, change)).toBe(true);
});

it.each([
  ['a part is inserted', OPEN, [3, '', ', ']],
  ['another text is inserted', OPEN, [3, '', ', c']],
  ['more is inserted', OPEN, [3, '', ', b, c']],
  ['it is inserted elsewhere', OPEN, [4, '', ', b']],
  ['a character is typed that is the whole suggestion', { start: 3, end: 3, text: ';' }, [3, '', ';']],
  ['text is deleted', OPEN, [0, 'f(a', '']],
  ['nothing changes', OPEN, [3, ')', ')']],
] as const)('not accepted, where %s', (_, suggestion, change) => {
  expect(accepts(suggestion, change)).toBe(false);
});

it('not accepted by several changes at once', () => {
  expect(accepts(OPEN, [3, '', ', b'], [0, '', '//'])).toBe(false);
});
