import { describe, expect, it } from 'vitest';
import { beforeEdits } from '../../../../../server/src/next-edit/rewrite/before-edits.js';
import { candidateRegions, regionAround } from '../../../../../server/src/next-edit/rewrite/regions.js';

const SIZE = { before: 2, behind: 2 };
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('');

describe('the region around a place', () => {
  it.each([
    ['in the middle', 'line 20', 'line 18\nline 19\nline 20\nline 21\nline 22\n', 18],
    ['at the top', 'line 1\n', 'line 1\nline 2\nline 3\nline 4\nline 5\n', 1],
    ['at the end', 'line 40', 'line 38\nline 39\nline 40\n', 38],
  ])('%s', (_, at, region, firstLine) => {
    const found = regionAround(LINES, LINES.indexOf(at), SIZE);
    expect(LINES.slice(found.start, found.end)).toBe(region);
    expect(found.firstLine).toBe(firstLine);
  });

  it('of a text without line feeds is the text', () => {
    expect(regionAround('abc', 2, SIZE)).toEqual({ start: 0, end: 3, firstLine: 1 });
    expect(regionAround('', 0, SIZE)).toEqual({ start: 0, end: 0, firstLine: 1 });
  });
});

describe('candidates', () => {
  const text = `${LINES}total();\n${LINES}subtotal();\n${LINES}total();\n`;
  const edits = [{ original: 'sum();', updated: 'total();' }];

  it('are the place of the last edit, then where its names stand, the closest first', () => {
    const offset = text.lastIndexOf('total') - 200;
    const regions = candidateRegions(text, offset, edits, SIZE);
    const shown = regions.map(({ start, end }) => text.slice(start, end));
    expect(regions).toHaveLength(3);
    expect(shown[1]).toContain('\ntotal();\n');
    expect(regions[1]?.start).toBeGreaterThan(regions[2]?.start ?? Number.POSITIVE_INFINITY);
    expect(shown.some((region) => region.includes('subtotal'))).toBe(false);
  });

  it('do not overlap', () => {
    const near = 'total();\n'.repeat(30);
    const regions = candidateRegions(near, 0, edits, SIZE);
    for (const [index, { start }] of regions.entries()) {
      expect(regions.slice(0, index).every((other) => other.end <= start || other.start > start)).toBe(true);
    }
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
