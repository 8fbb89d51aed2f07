import { describe, expect, it } from 'vitest';
import { placeAfter, shownChange } from '../../../../extension/src/next-edit/shown-change.js';
import type { NextEdit } from '../../../../server/protocol/index.js';

function change(oldText: string, newText: string, start = { line: 3, character: 10 }) {
  const range: NextEdit['range'] = { start, end: placeAfter(start, oldText) };
  return shownChange({ range, oldText, newText });
}

describe('the shown change', () => {
  it.each([
    ['a name that becomes longer is an insertion', 'count', 'counter', 15, '', 'er'],
    ['a name that becomes shorter is a deletion', 'counter', 'count', 15, 'er', ''],
    ['another name is a replacement of the whole word', 'getUser', 'loadUser', 10, 'getUser', 'loadUser'],
    ['a changed part of a name takes the word with it', 'a.getUser()', 'a.getTeam()', 12, 'getUser', 'getTeam'],
    ['operators change alone', 'a + b', 'a - b', 12, '+', '-'],
    ['an inserted argument stands alone', 'f(a)', 'f(a, rate)', 13, '', ', rate'],
    ['halves of a pair stay together', '"😀"', '"😁"', 11, '😀', '😁'],
  ])('%s', (_, oldText, newText, character, shownOld, shownNew) => {
    const shown = change(oldText, newText);
    expect(shown).toMatchObject({ oldText: shownOld, newText: shownNew, start: { line: 3, character } });
    expect(shown?.end).toEqual({ line: 3, character: character + shownOld.length });
  });

  it('is none where nothing changes, whatever the line ends', () => {
    expect(change('a\r\nb', 'a\nb')).toBeNull();
    expect(change('', '')).toBeNull();
  });

  it.each(['\n', '\r\n', '\r'])('has the places of its lines with line ends %j', (end) => {
    const shown = change(['one', '  two', 'three'].join(end), 'one\n  2\nthree');
    expect(shown).toEqual({
      start: { line: 4, character: 2 },
      end: { line: 4, character: 5 },
      oldText: 'two',
      newText: '2',
    });
  });

  it('may be new lines alone', () => {
    expect(change('a;\r\nc;', 'a;\nb;\nc;')).toMatchObject({ start: { line: 4, character: 0 }, newText: 'b;\n' });
  });

  it('looks at each character a few times', () => {
    const long = 'x'.repeat(200_000);
    expect(change(`${long}a${long}`, `${long}b${long}`)?.newText).toHaveLength(400_001);
  });
});

it('a place behind a text counts any line end once', () => {
  const start = { line: 1, character: 4 };
  expect(placeAfter(start, 'ab')).toEqual({ line: 1, character: 6 });
  expect(placeAfter(start, 'a\r\nbc\n')).toEqual({ line: 3, character: 0 });
  expect(placeAfter(start, 'a\rb')).toEqual({ line: 2, character: 1 });
});
