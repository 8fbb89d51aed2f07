import { expect, it } from 'vitest';
import { highlight } from '../../../../../extension/src/chat/webview/highlight.js';

it('marks the tokens of a language', () => {
  expect(highlight('return a;', 'typescript')).toContain('<span class="hljs-keyword">return</span>');
});

it('marks the tokens of a long answer', () => {
  const code = '  // Words of a comment that has no end, one line after the other\n  return a;\n'.repeat(300);
  expect(highlight(code, 'csharp').match(/hljs-keyword/g)).toHaveLength(300);
});

it.each([
  ['an unknown language', 'return a;', 'klingon'],
  // The rules for C take eight seconds for 64,000 such characters.
  ['a line that nobody reads', 'typedef'.repeat(200), 'c'],
  ['code that nobody reads', 'return a;\n'.repeat(20_000), 'typescript'],
  // The rules for C# take a second for 12,000 such characters, and the square of it for more.
  ['words without a sign between them', 'typedef \n'.repeat(1_500), 'csharp'],
  ['types without a sign between them', `${'a<b> '.repeat(180)}\n`.repeat(2), 'csharp'],
  ['code that is longer than any answer', 'return a;\n'.repeat(4_000), 'typescript'],
])('shows %s without colours', (_what, code, language) => {
  expect(highlight(code, language)).toBe('');
});
