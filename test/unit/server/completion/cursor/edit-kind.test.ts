import { expect, it } from 'vitest';
import { classifyEdit } from '../../../../../server/src/completion/cursor/edit-kind.js';

const change = (inserted: string, removed = '', offset = 0) => ({ offset, removed, inserted });

it.each([
  ['a letter', [change('a')], 'typed'],
  ['a letter of two UTF-16 units', [change('😀')], 'typed'],
  ['a bracket that the editor closes', [change('()')], 'typed'],
  ['a quote that the editor closes', [change("''")], 'typed'],
  ['a composed syllable', [change('に', 'ni')], 'typed'],
  ['a tab in spaces', [change('    ')], 'typed'],
  ['enter', [change('\n    ')], 'newLine'],
  ['enter between brackets', [change('\r\n  \r\n')], 'newLine'],
  ['an identifier from the suggest widget', [change('readFileSync', 'readF')], 'completed'],
  ['an identifier matched loosely', [change('readFileSync', 'rfs')], 'completed'],
  ['backspace', [change('', 'a')], 'deleted'],
  ['a cut block', [change('', 'a\nb\n')], 'deleted'],
  ['a pasted word', [change('readFileSync')], 'pasted'],
  ['pasted lines', [change('a();\nb();')], 'pasted'],
  ['something else over a selection', [change('totally different', 'abc')], 'pasted'],
  ['two cursors', [change('a', '', 10), change('a', '', 3)], 'replaced'],
  ['nothing', [change('a', 'a')], null],
  ['no change at all', [], null],
])('%s', (_name, changes, kind) => {
  expect(classifyEdit(changes, () => false)).toBe(kind);
});

it('recognises an accepted suggestion', () => {
  expect(classifyEdit([change('left + right;')], () => true)).toBe('accepted');
  expect(classifyEdit([change('l')], () => true)).toBe('typed');
});
