import { describe, expect, it } from 'vitest';
import { beforeEdits } from '../../../../../server/src/next-edit/rewrite/before-edits.js';
import { likelyRegions, linesAround } from '../../../../../server/src/next-edit/rewrite/regions.js';
import { changesLines, suggestedPlaces } from '../../../../../server/src/next-edit/rewrite/suggested-places.js';

const SIZE = { before: 2, behind: 2 };
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('');

describe('the region around a place', () => {
  it.each([
    ['in the middle', 'line 20', 'line 18\nline 19\nline 20\nline 21\nline 22\n'],
    ['at the top', 'line 1\n', 'line 1\nline 2\nline 3\nline 4\nline 5\n'],
    ['at the end', 'line 40', 'line 38\nline 39\nline 40\n'],
  ])('%s', (_, at, region) => {
    const found = linesAround(LINES, LINES.indexOf(at), SIZE);
    expect(LINES.slice(found.start, found.end)).toBe(region);
  });

  it('of a text without line feeds is the text', () => {
    expect(linesAround('abc', 2, SIZE)).toEqual({ start: 0, end: 3 });
    expect(linesAround('', 0, SIZE)).toEqual({ start: 0, end: 0 });
  });
});

describe('likely regions', () => {
  const text = `${LINES}total();\n${LINES}subtotal();\n${LINES}total();\n${LINES}sum();\n${LINES}`;
  const edits = [{ original: 'sum();', updated: 'total();' }];
  const found = (offset: number | null) =>
    likelyRegions(text, offset, edits, SIZE).map(({ why, start, end }) => ({
      why,
      start,
      lines: text.slice(start, end),
    }));

  it('are where a change could be repeated, then the user, then names of the edits, the closest first', () => {
    const offset = text.lastIndexOf('total') - 200;
    const regions = found(offset);
    expect(regions.map(({ why }) => why)).toEqual(['repeat', 'cursor', 'name', 'name']);
    expect(regions[0]?.lines).toContain('\nsum();\n');
    expect(regions[2]?.start).toBeGreaterThan(regions[3]?.start ?? Number.POSITIVE_INFINITY);
    expect(regions.some(({ lines }) => lines.includes('subtotal'))).toBe(false);
  });

  it('are the lines around the user, if a change could be repeated there', () => {
    expect(found(text.indexOf('sum()'))[0]).toMatchObject({ why: 'repeat', lines: expect.stringContaining('line 39') });
  });

  it('are only where names lead in another file', () => {
    expect(found(null).map(({ why }) => why)).toEqual(['repeat', 'name', 'name']);
  });

  it('know the number of their first line', () => {
    const [cursor] = likelyRegions(LINES, LINES.indexOf('line 20'), [], SIZE);
    expect(cursor).toMatchObject({ why: 'cursor', firstLine: 18 });
  });

  it('do not overlap', () => {
    const near = 'total();\n'.repeat(30);
    const regions = likelyRegions(near, 0, edits, SIZE);
    for (const [index, { start }] of regions.entries()) {
      expect(regions.slice(0, index).every((other) => other.end <= start || other.start > start)).toBe(true);
    }
  });
});

describe('a change suggests another', () => {
  const places = (original: string, updated: string, text: string) =>
    suggestedPlaces([{ original, updated }], text).map(({ start }) => start);

  it.each<[string, string, string, string, readonly number[]]>([
    ['where what was replaced stands', 'a = sum;', 'a = total;', 'b = sum; subsum', [4]],
    ['where what was removed stands', 'read(a).strip();', 'read(a);', 'x.strip();', [1]],
    ['where what stood around an insertion does', 'f(a, b);', 'f(a, x, b);', 'g(a, b);', [0, 5]],
    ['where what stood around a removal does', 'f((a));', 'f(a);', '((a))', [1, 3]],
    [
      'in a line that reads like one',
      'sum(value4);',
      'sum(value4, rate);',
      'log(1);\nsum(value6);\nsum(value7, rate);',
      [8],
    ],
    ['not where it has been made', 'Error(a);', 'new Error(a);', 'new Error(b);', []],
    ['not for lines that were added', 'a();\nb();', 'a();\nc();\nb();', 'a();\nb();', []],
    ['not for marks alone', 'f();', 'f()();', 'g();', []],
  ])('%s', (_, original, updated, text, expected) => {
    expect(places(original, updated, text)).toEqual(expected);
  });

  it('of lines that were there, and not of new ones', () => {
    expect(changesLines({ original: 'a\nb', updated: 'a\nc\nb' })).toBe(false);
    expect(changesLines({ original: 'a\n\nb', updated: 'a\nc\nb' })).toBe(false);
    expect(changesLines({ original: 'a\nb', updated: 'a\nc' })).toBe(true);
  });
});

describe('lines before the recent edits', () => {
  const linesBefore = (text: string, region: string, edits: readonly { original: string; updated: string }[]) =>
    beforeEdits(text, text.indexOf(region), text.indexOf(region) + region.length, edits);

  it('are those of the text where no edit touched them', () => {
    expect(linesBefore('a\nb\nc\n', 'b\n', [{ original: 'x', updated: 'y' }])).toBe('b\n');
    expect(linesBefore('NEW\nb\nc\n', 'b\n', [{ original: 'old\n', updated: 'NEW\n' }])).toBe('b\n');
  });

  it('take edits back, the last one first', () => {
    const edits = [
      { original: 'one\n', updated: 'two\n' },
      { original: 'two\n', updated: 'three\n' },
    ];
    expect(linesBefore('a\nthree\nb\n', 'a\nthree\nb\n', edits)).toBe('a\none\nb\n');
  });

  it('lack inserted lines, and have removed ones', () => {
    expect(linesBefore('a\nnew\nb\n', 'a\nnew\nb\n', [{ original: 'a\nb', updated: 'a\nnew\nb' }])).toBe('a\nb\n');
    expect(linesBefore('a\nb\n', 'a\nb\n', [{ original: 'a\nold\nb', updated: 'a\nb' }])).toBe('a\nold\nb\n');
  });

  it('are whole where an edit crosses their borders', () => {
    const edits = [{ original: 'b1\nc1\n', updated: 'b2\nc2\n' }];
    expect(linesBefore('a\nb2\nc2\nd\n', 'a\nb2\n', edits)).toBe('a\nb1\nc1\n');
    expect(linesBefore('a\nb2\nc2\nd\n', 'c2\nd\n', edits)).toMatch(/c1\nd\n$/);
  });
});
