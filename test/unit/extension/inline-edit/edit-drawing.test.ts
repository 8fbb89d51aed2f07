import { expect, it } from 'vitest';
import { drawEdit } from '../../../../extension/src/inline-edit/edit-drawing.js';
import type { PendingHunk } from '../../../../extension/src/inline-edit/pending-hunks.js';

const LONG = `    return this.items.find((item) => item.price <= ${'p'.repeat(20)});`;
const DOCUMENT = ['function f() {', '  return 1;', '  return 2;', LONG, '}'];

function drawn(change: Partial<PendingHunk>) {
  const hunk: PendingHunk = { id: 0, start: 1, end: 2, oldLines: ['  return 0;'], ...change };
  return drawEdit([hunk], (line) => DOCUMENT[line] ?? '');
}

it('shows the old line behind the new one', () => {
  expect(drawn({})).toEqual({
    newLines: [expect.objectContaining({ start: 1, end: 2 })],
    oldTexts: [{ line: 1, kind: 'line', text: 'return 0;' }],
    hovers: [{ first: 1, last: 1, oldLines: ['  return 0;'], newLines: ['  return 1;'] }],
  });
});

it('shows each old line behind the new line in its place', () => {
  const { oldTexts, hovers } = drawn({ end: 3, oldLines: ['  a();', '  b();'] });
  expect(oldTexts.map(({ line, text }) => [line, text])).toEqual([
    [1, 'a();'],
    [2, 'b();'],
  ]);
  expect(hovers).toMatchObject([{ first: 1, last: 2, newLines: ['  return 1;', '  return 2;'] }]);
});

it.each<[string, Partial<PendingHunk>, number, string]>([
  ['one line has no room', { start: 3, end: 4, oldLines: [LONG] }, 3, '- 1 line'],
  ['one of several has none', { end: 4, oldLines: ['a', 'b', LONG] }, 1, '- 3 lines'],
  ['more lines were there than are now', { oldLines: ['a', 'b'] }, 1, '- 2 lines'],
  ['several lines were only removed', { end: 1, oldLines: ['a', '', 'b'] }, 0, '- 3 lines'],
])('counts the old lines where %s, and the hover shows them', (_name, change, line, text) => {
  const { oldTexts, hovers } = drawn(change);
  expect(oldTexts).toEqual([{ line, kind: 'count', text }]);
  expect(hovers).toMatchObject([{ first: line, oldLines: change.oldLines }]);
});

it('shows a removed line at the line before it, at the start of the document at the first one', () => {
  expect(drawn({ start: 1, end: 1 })).toMatchObject({
    newLines: [],
    oldTexts: [{ line: 0, text: 'return 0;' }],
    hovers: [{ first: 0, last: 0, newLines: [] }],
  });
  expect(drawn({ start: 0, end: 0 }).hovers).toMatchObject([{ first: 0, last: 0 }]);
});

it('shows nothing behind lines that replace blank ones', () => {
  expect(drawn({ oldLines: ['', '  '] }).oldTexts).toEqual([]);
  expect(drawn({ oldLines: [] }).oldTexts).toEqual([]);
});

it('breaks no line of the editor, whatever an old line contains', () => {
  expect(drawn({ oldLines: ['\u202E\u2028x'] }).oldTexts).toMatchObject([{ text: '\uFFFD\uFFFDx' }]);
  expect(drawn({ oldLines: [`\u202E${'x'.repeat(9_999)}`] }).oldTexts).toMatchObject([{ text: '- 1 line' }]);
});
