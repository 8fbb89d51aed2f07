import { expect, it } from 'vitest';
import { dropUndoneEdit } from '../../../../../../server/src/completion/postprocess/judge/undone-edit.js';
import type { RecentEdit } from '../../../../../../server/src/completion/request/recent-edits.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

const drop = (document: string, text: string, ...recentEdits: readonly RecentEdit[]) =>
  dropUndoneEdit(filterInput(document, text, { recentEdits }));

it('drops text that was deleted at the cursor', () => {
  expect(drop('a = ║;', 'total()', { offset: 4, removed: 'total()', inserted: '' })).toBe('');
  expect(drop('a = ║;', 'total() + 1', { offset: 4, removed: 'total()', inserted: '' })).toBe('');
  expect(drop('a = ║;', 'total', { offset: 4, removed: 'total()', inserted: '' })).toBe('');
  expect(drop('a = ║;', 'total(\n  b)', { offset: 4, removed: 'total(\r\n\tb)', inserted: '' })).toBe('');
});

it('drops text that would complete new text to the old', () => {
  expect(drop('a = to║;', 'tal()', { offset: 4, removed: 'total()', inserted: 'to' })).toBe('');
});

it('compares the newest edits only', () => {
  const edit = { offset: 4, removed: 'total()', inserted: '' };
  const elsewhere = { offset: 0, removed: 'x', inserted: '' };
  expect(drop('a = ║;', 'total()', elsewhere, edit)).toBe('');
  expect(drop('a = ║;', 'total()', ...Array(5).fill(elsewhere), edit)).toBe('total()');
});

it.each<[string, string, RecentEdit]>([
  ['a = ║;', 'sum()', { offset: 4, removed: 'total()', inserted: '' }],
  ['a = ║;', 'total()', { offset: 0, removed: 'total()', inserted: '' }],
  ['a = ║;', 'a', { offset: 4, removed: 'a', inserted: '' }],
  ['a = sum║;', '(b)', { offset: 4, removed: 'total()', inserted: 'sum' }],
  ['a = ║;', 't', { offset: 4, removed: 'total()', inserted: '' }],
  // A longer name in place of the old one.
  ['a = users.║', 'map(f)', { offset: 4, removed: 'user', inserted: 'users.' }],
  ['a = ║', 'users.map(f)', { offset: 4, removed: 'user', inserted: '' }],
  ['a = user║', 'Name + b', { offset: 4, removed: 'user', inserted: 'user' }],
  // The user has written again what was deleted.
  ['a = total() + ║', 'b', { offset: 4, removed: 'total()', inserted: 'total() + ' }],
  ['a = user.║', 'name', { offset: 4, removed: 'user', inserted: 'user.' }],
])('in %j, leaves %j alone', (document, text, edit) => {
  expect(drop(document, text, edit)).toBe(text);
});
