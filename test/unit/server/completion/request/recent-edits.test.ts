import { expect, it } from 'vitest';
import type { DocumentChange } from '../../../../../server/src/completion/cursor/edit-kind.js';
import type { RecentEdit } from '../../../../../server/src/completion/request/recent-edits.js';
import { RecentEdits, withChange } from '../../../../../server/src/completion/request/recent-edits.js';

function after(...changes: readonly DocumentChange[]): readonly RecentEdit[] {
  return changes.reduce(withChange, [] as readonly RecentEdit[]);
}

const remove = (offset: number, removed: string) => ({ offset, removed, inserted: '' });
const insert = (offset: number, inserted: string) => ({ offset, removed: '', inserted });

it('joins adjacent deletions, in either direction', () => {
  expect(after(remove(6, 'c'), remove(5, 'b'), remove(4, 'a'))).toEqual([remove(4, 'abc')]);
  expect(after(remove(4, 'a'), remove(4, 'b'), remove(4, 'c'))).toEqual([remove(4, 'abc')]);
});

it('contains what was typed instead', () => {
  expect(after({ offset: 4, removed: 'abc', inserted: 'x' }, insert(5, 'y'))).toEqual([
    { offset: 4, removed: 'abc', inserted: 'xy' },
  ]);
  expect(after(remove(4, 'abc'), insert(4, 'xy'), remove(5, 'y'), insert(5, 'z'))).toEqual([
    { offset: 4, removed: 'abc', inserted: 'xz' },
  ]);
});

it('treats a deletion longer than a typo as a separate edit', () => {
  expect(after(remove(4, 'abc'), insert(4, 'wxyz'), remove(4, 'wxyz'))).toEqual([remove(4, 'wxyz')]);
});

it('contains no insertions, but they move edits behind them', () => {
  expect(after(insert(4, 'abc'))).toEqual([]);
  expect(after(remove(4, 'abc'), insert(0, '12'))).toEqual([remove(6, 'abc')]);
  expect(after(remove(4, 'abc'), insert(9, '12'))).toEqual([remove(4, 'abc')]);
  expect(after(remove(14, 'abc'), remove(0, '1234'))).toEqual([remove(0, '1234'), remove(10, 'abc')]);
});

it('drops overwritten, too long and oldest edits', () => {
  expect(after({ offset: 4, removed: 'abc', inserted: 'xy' }, { offset: 2, removed: '12xy34', inserted: '' })).toEqual([
    remove(2, '12xy34'),
  ]);
  expect(after(remove(4, 'a'.repeat(3000)))).toEqual([]);
  const long = 'a'.repeat(3000);
  expect(after({ offset: 4, removed: 'abc', inserted: 'xy' }, insert(5, long))).toEqual([]);
  expect(after({ offset: 4, removed: 'abc', inserted: 'xy' }, { offset: 5, removed: 'y', inserted: long })).toEqual([]);
  const many = Array.from({ length: 20 }, (_, index) => remove(1000 - index * 10, 'abc'));
  expect(after(...many)).toHaveLength(8);
});

it('keeps documents apart, until they are closed', () => {
  const edits = new RecentEdits();
  edits.edited('file:///a', [remove(4, 'abc')]);
  expect(edits.of('file:///a')).toEqual([remove(4, 'abc')]);
  expect(edits.of('file:///b')).toEqual([]);
  edits.closed('file:///a');
  expect(edits.of('file:///a')).toEqual([]);
});
