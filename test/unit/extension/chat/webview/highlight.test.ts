import { expect, it } from 'vitest';
import { highlight } from '../../../../../extension/src/chat/webview/highlight.js';

it('marks the tokens of a language', () => {
  expect(highlight('return a;', 'typescript')).toContain('<span class="hljs-keyword">return</span>');
});

it.each([
  ['an unknown language', 'return a;', 'klingon'],
  // The rules for C take eight seconds for 64,000 such characters.
  ['a line that nobody reads', 'typedef'.repeat(200), 'c'],
  ['code that nobody reads', 'return a;\n'.repeat(20_000), 'typescript'],
])('shows %s without colours', (_what, code, language) => {
  expect(highlight(code, language)).toBe('');
});
