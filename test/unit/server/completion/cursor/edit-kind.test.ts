import { expect, it } from 'vitest';
import { classifyEdit, editEnd } from '../../../../../server/src/completion/cursor/edit-kind.js';

const change = (inserted: string, removed = '', offset = 0) => ({ offset, removed, inserted });

it.each([
  ['a letter', [change('a')], 'typed'],
  ['a letter of two UTF-16 units', [change('😀')], 'typed'],
  ['a bracket that the editor closes', [change('()')], 'typed'],
  ['a quote that the editor closes', [change("''")], 'typed'],
  ['a composed syllable', [change('に', 'ni')], 'typed'],
  ['a composed phrase', [change('你好世界', 'nihaoshijie')], 'typed'],
  ['a composed phrase that the client tells at its end', [change('完了した')], 'typed'],
  ['a tag that the editor closes', [change('</div>')], 'typed'],
  ['a fragment that the editor closes', [change('</>')], 'typed'],
  ['a pasted paragraph of another script', [change('补全'.repeat(40))], 'pasted'],
  ['a tab in spaces', [change('    ')], 'typed'],
  ['enter', [change('\n    ')], 'newLine'],
  ['enter between brackets', [change('\r\n  \r\n')], 'newLine'],
  ['enter in a comment of documentation', [change('\n   * ')], 'newLine'],
  ['enter between the ends of a comment', [change('\r\n * \r\n ')], 'newLine'],
  ['enter between the ends of a comment, the last of which moves', [change('\n * \n */')], 'newLine'],
  ['enter behind a line comment', [change('\n    /// ')], 'newLine'],
  ['enter behind a comment of Python', [change('\n# ')], 'newLine'],
  ['enter in a list', [change('\n- ')], 'newLine'],
  ['enter in a numbered list', [change('\n12. ')], 'newLine'],
  ['enter in a list of tasks', [change('\n  - [ ] ')], 'newLine'],
  ['the end of a comment that the editor adds', [change('* */')], 'typed'],
  ['the end of a C comment that the editor adds', [change('**/')], 'typed'],
  ['the end of an HTML comment that the editor adds', [change('--->')], 'typed'],
  ['the end of a PowerShell comment that the editor adds', [change('##>')], 'typed'],
  ['the end of a template tag that the editor adds', [change('%%}')], 'typed'],
  ['the end of a Haskell comment in a bracket that the editor has closed', [change('--')], 'typed'],
  ['the end of a template tag in a bracket that the editor has closed', [change('% %')], 'typed'],
  ['the end of a template comment that the editor adds', [change('# #}')], 'typed'],
  ['a formula that the editor closes', [change('$$')], 'typed'],
  ['a formula of LaTeX that the editor closes', [change('(\\)')], 'typed'],
  ['a bracket of LaTeX that the editor closes', [change('(\\right)')], 'typed'],
  ['a brace of LaTeX that the editor closes', [change('{\\Biggr\\}')], 'typed'],
  ['a string of PowerShell that the editor closes', [change('"\r\n"@')], 'typed'],
  ['an identifier from the suggest widget', [change('readFileSync', 'readF')], 'completed'],
  ['an identifier matched loosely', [change('readFileSync', 'rfs')], 'completed'],
  ['backspace', [change('', 'a')], 'deleted'],
  ['a cut block', [change('', 'a\nb\n')], 'deleted'],
  ['a pasted word', [change('readFileSync')], 'pasted'],
  ['pasted lines', [change('a();\nb();')], 'pasted'],
  ['a pasted line of a comment', [change('\n * @param a')], 'pasted'],
  ['a pasted item of a list', [change('\n- a')], 'pasted'],
  ['pasted signs', [change('*/*')], 'pasted'],
  ['something else over a selection', [change('totally different', 'abc')], 'pasted'],
  ['enter behind an empty line', [change('\n    ', '', 10), change('', '    ', 6)], 'newLine'],
  ['a key above an empty line', [change('', '\t', 9), change('a', '', 3)], 'typed'],
  ['backspace in a blank', [change('', ' ')], 'deleted'],
  ['blanks of several lines', [change('', '  ', 10), change('', '  ', 3)], 'replaced'],
  ['two cursors behind an empty line', [change('a', '', 10), change('', '  ', 6), change('a', '', 3)], 'replaced'],
  ['two cursors', [change('a', '', 10), change('a', '', 3)], 'replaced'],
  ['two keys at once', [change('a', '', 3), change('b', '', 4)], 'typed'],
  ['a bracket and its partner at once', [change('(', '', 3), change(')', '', 4), change('a', '', 4)], 'typed'],
  ['a key and enter at once', [change(';', '', 3), change('\n  ', '', 4)], 'newLine'],
  ['a key and backspace at once', [change('a', '', 3), change('', 'a', 3)], 'deleted'],
  ['backspaces at once', [change('', 'b', 4), change('', 'a', 3)], 'deleted'],
  ['a key in place of deleted text at once', [change('', 'abc', 3), change('x', '', 3)], 'typed'],
  ['keys at once and a pasted word', [change('a', '', 3), change('readFileSync', '', 4)], 'pasted'],
  ['keys at two places at once', [change('a', '', 3), change('b', '', 5)], 'replaced'],
  ['nothing', [change('a', 'a')], null],
  ['switched line ends', [change('a\r\nb\r\n', 'a\nb\n')], null],
  ['no change at all', [], null],
])('%s', (_name, changes, kind) => {
  expect(classifyEdit(changes, () => false)).toBe(kind);
});

it.each([
  ['items.', 'push', 'completed'],
  ['items?.', 'push(item)', 'completed'],
  ['items->', 'size', 'completed'],
  ['Items::', 'größe', 'completed'],
  ['items ', 'push', 'pasted'],
  ['items-', 'push', 'pasted'],
  ['items.', 'push(item);', 'pasted'],
  ['items.', 'push(\nitem)', 'pasted'],
  ['items.', 'a b', 'pasted'],
  ['items.', 'a'.repeat(100), 'pasted'],
])('behind %j, %j from the suggest widget is %s', (before, inserted, kind) => {
  const member = change(inserted, '', 20 + before.length);
  const textBefore = (offset: number) => (offset === member.offset ? before.slice(-2) : '');
  expect(classifyEdit([member], () => false, textBefore)).toBe(kind);
});

it('recognises an accepted suggestion', () => {
  expect(classifyEdit([change('left + right;')], () => true)).toBe('accepted');
  expect(classifyEdit([change('l')], () => true)).toBe('typed');
});

it.each([
  ['one change', [change('ab', 'x', 5)], 7],
  ['enter behind an empty line', [change('\n    ', '', 10), change('', '    ', 6)], 11],
  ['a key above an empty line', [change('', '    ', 9), change('a', '', 3)], 4],
  ['two cursors', [change('a', '', 10), change('a', '', 3)], 4],
  ['nothing', [change('a', 'a', 3)], null],
])('%s ends in the text after all changes', (_name, changes, end) => {
  expect(editEnd(changes)).toBe(end);
});
