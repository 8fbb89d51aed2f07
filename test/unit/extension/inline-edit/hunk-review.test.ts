import { beforeEach, describe, expect, it } from 'vitest';
import { HunkReview } from '../../../../extension/src/inline-edit/hunk-review.js';
import { changedLines, type PendingHunk } from '../../../../extension/src/inline-edit/pending-hunks.js';

const hunk = (id: number, start: number, end: number, oldLines = ['old']): PendingHunk => ({
  ...{ id, start, end, oldLines },
});
const first = hunk(0, 2, 3);
const second = hunk(1, 6, 6);
const third = hunk(2, 9, 11);

const BEFORE = 'abXXdefXXX'.split('').join('\n');
/** With the new lines. */
const TEXT = 'abcdefghijkl'.split('').join('\n');

const FIRST = { before: BEFORE, firstId: 0, earlier: [] };

let review: HunkReview;
const ids = () => review.pending.map(({ id }) => id);

beforeEach(() => {
  review = new HunkReview({ ...FIRST, hunks: [first, second, third], text: TEXT });
});

it('is over once every hunk is kept', () => {
  review.keep(({ id }) => id !== 1);
  expect([ids(), review.isOver]).toEqual([[1], false]);
  review.keep(() => true);
  expect(review.isOver).toBe(true);
});

describe('a hunk that is taken back', () => {
  it('no longer waits, so that a second click does nothing', () => {
    expect(review.take(({ id }) => id === 1)).toEqual([second]);
    expect(review.take(({ id }) => id === 1)).toEqual([]);
    expect(ids()).toEqual([0, 2]);
  });

  it('is gone once the document has its old lines', () => {
    const taken = review.take(() => true);
    expect([ids(), review.isOver]).toEqual([[], false]);
    review.settle(taken, true);
    expect([ids(), review.isOver]).toEqual([[], true]);
  });

  it('waits again in its place where the document cannot be edited', () => {
    const taken = review.take(({ id }) => id !== 2);
    review.settle(taken, false);
    expect(review.pending).toEqual([first, second, third]);
    review.settle(
      review.take(() => true),
      false,
    );
    expect(ids()).toEqual([0, 1, 2]);
  });

  it('follows what the user writes meanwhile, and is lost where that touches it', () => {
    const taken = review.take(() => true);
    review.documentChanged([{ start: 0, end: 0, growth: 2 }], `x\ny\n${TEXT}`);
    review.documentChanged([{ start: 11, end: 11, growth: 0 }], `x\ny\n${TEXT.replace('j', 'J')}`);
    review.settle(taken, false);
    expect(review.pending).toEqual([hunk(0, 4, 5), hunk(1, 8, 8)]);
  });
});

describe('a change of the document', () => {
  const everything = { start: { line: 0, character: 0 }, end: { line: 11, character: 1 } };
  const withCarriageReturns = TEXT.replaceAll('\n', '\r\n');

  it.each([
    ['waits', () => undefined],
    ['is being taken back', () => review.take(() => true)],
  ])('that only switches line ends leaves every hunk that %s', (_name, begin) => {
    const taken = begin() ?? [];
    for (const text of [withCarriageReturns, TEXT]) review.documentChanged([changedLines(everything, text)], text);
    review.settle(taken, false);
    expect(review.pending).toEqual([first, second, third]);
  });

  it('is found after switched line ends, too', () => {
    review.documentChanged([changedLines(everything, withCarriageReturns)], withCarriageReturns);
    const range = { start: { line: 2, character: 1 }, end: { line: 2, character: 1 } };
    review.documentChanged([changedLines(range, 'x')], withCarriageReturns.replace('c', 'cx'));
    expect(ids()).toEqual([1, 2]);
  });

  it.each([
    ['below the last line of a hunk leaves it', 10, 1, [0, 1, 2]],
    ['within its last line does not', 10, 0, [0, 1]],
    ['below a line within it does not', 9, 1, [0, 1]],
  ])('that writes a line %s', (_name, line, character, left) => {
    const place = { line, character };
    const change = changedLines({ start: place, end: place }, '\n    ');
    const offset = 2 * line + character;
    review.documentChanged([change], `${TEXT.slice(0, offset)}\n    ${TEXT.slice(offset)}`);
    expect(ids()).toEqual(left);
  });

  it("of the whole text makes all lines the user's own", () => {
    const text = withCarriageReturns.replace('a', 'A');
    review.documentChanged([changedLines(everything, text)], text);
    expect(ids()).toEqual([]);
  });
});

describe('lines that were only removed', () => {
  const at = (line: number) => ({ line, character: 0 });
  const inserted = (line: number, text: string) => changedLines({ start: at(line), end: at(line) }, text);
  const joined = (lines: string) => lines.split('').join('\n');

  it.each([
    ['before the line that follows', inserted(6, 'old\n')],
    ['after the line that precedes', { start: 5, end: 5, growth: 1 }],
    ['with all that follows', { start: 6, end: 11, growth: 1 }],
  ])('no longer wait once something else puts them back %s', (_name, change) => {
    review.documentChanged([change], TEXT.replace('g', 'old\ng'));
    expect(ids()).not.toContain(1);
  });

  it('wait while other lines are written beside their place', () => {
    review.documentChanged([inserted(6, 'new\n')], TEXT.replace('g', 'new\ng'));
    review.documentChanged([{ start: 5, end: 5, growth: 1 }], TEXT.replace('g', 'new\nnew\ng'));
    expect(review.pending).toEqual([first, hunk(1, 8, 8), hunk(2, 11, 13)]);
  });

  it('wait while a line beside their place is changed that is like them', () => {
    review = new HunkReview({ ...FIRST, before: joined('abbc'), hunks: [hunk(0, 2, 2, ['b'])], text: joined('abc') });
    review.documentChanged([inserted(1, 'x')], 'a\nxb\nc');
    review.documentChanged([changedLines({ start: at(1), end: { line: 1, character: 1 } }, '')], joined('abc'));
    expect(ids()).toEqual([0]);
  });
});

describe('a text as before the edit', () => {
  const back = { start: 2, end: 8, growth: -2 };
  /** Another edit, which adds a line at the end. */
  const addLine = (id: number): void => {
    const { pending: earlier } = review;
    const hunks = [...earlier, hunk(id, 12, 13)];
    review.add({ before: TEXT, firstId: id, hunks, earlier, text: `${TEXT}\nm` });
  };

  it('ends it, whatever brought it back', () => {
    review.documentChanged([{ start: 6, end: 6, growth: 0 }], BEFORE.replaceAll('\n', '\r\n'));
    expect(review.isOver).toBe(true);
  });

  it('ends the last of two edits alone if it is as before that', () => {
    addLine(3);
    expect([ids(), review.original]).toEqual([[0, 1, 2, 3], BEFORE]);
    review.documentChanged([{ start: 11, end: 12, growth: -1 }], TEXT);
    expect(ids()).toEqual([0, 1, 2]);
    review.documentChanged([back], BEFORE);
    expect(review.isOver).toBe(true);
  });

  it('is remembered of the first edit and the last ones alone, while every hunk waits', () => {
    const texts = Array.from({ length: 40 }, (_, count) => `${'m\n'.repeat(count)}${TEXT}`);
    for (const [count, before] of texts.slice(0, -1).entries()) {
      const earlier = review.pending;
      const moved = earlier.map((each) => ({ ...each, start: each.start + 1, end: each.end + 1 }));
      const hunks = [hunk(3 + count, 0, 1), ...moved];
      review.add({ before, firstId: 3 + count, hunks, earlier, text: texts[count + 1] ?? '' });
    }
    expect([review.pending.length, review.original, review.rememberedTexts]).toEqual([42, BEFORE, 16]);
    review.documentChanged([{ start: 0, end: 0, growth: -1 }], texts[38] ?? '');
    expect(review.pending).toHaveLength(41);
    review.documentChanged([back], BEFORE);
    expect(review.isOver).toBe(true);
  });

  it('brings back the hunk that another edit has changed, unless it was kept', () => {
    const merged = { ...hunk(3, 2, 3), since: 0 };
    const text = TEXT.replace('c', 'C');
    const again = () =>
      review.add({ before: TEXT, firstId: 3, hunks: [merged, second, third], earlier: review.pending, text });
    again();
    expect([ids(), review.original]).toEqual([[3, 1, 2], BEFORE]);
    review.keep(({ id }) => id === 1);
    review.documentChanged([{ start: 2, end: 2, growth: 0 }], TEXT);
    expect([ids(), review.original]).toEqual([[0, 2], BEFORE]);
    again();
    review.keep(({ id }) => id !== 3);
    expect([ids(), review.original]).toEqual([[3], BEFORE]);
    review.documentChanged([back], BEFORE);
    expect(review.isOver).toBe(true);
  });

  it('is the one before the oldest edit that has a hunk', () => {
    addLine(3);
    review.keep(({ id }) => id < 3);
    expect(review.original).toBe(TEXT);
    review.documentChanged([back], `${BEFORE}\nm`);
    expect(ids()).toEqual([3]);
  });
});
