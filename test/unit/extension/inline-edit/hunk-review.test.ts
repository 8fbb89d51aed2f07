import { beforeEach, describe, expect, it } from 'vitest';
import { HunkReview } from '../../../../extension/src/inline-edit/hunk-review.js';
import { changedLines, type PendingHunk } from '../../../../extension/src/inline-edit/pending-hunks.js';

const hunk = (id: number, start: number, end: number): PendingHunk => ({ id, start, end, oldLines: ['old'] });
const first = hunk(0, 2, 3);
const second = hunk(1, 6, 6);
const third = hunk(2, 9, 11);

/** With the new lines. */
const TEXT = 'abcdefghijkl'.split('').join('\n');

let review: HunkReview;
const ids = () => review.pending.map(({ id }) => id);

beforeEach(() => {
  review = new HunkReview([first, second, third], TEXT);
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

  it("of the whole text makes all lines the user's own", () => {
    const text = withCarriageReturns.replace('a', 'A');
    review.documentChanged([changedLines(everything, text)], text);
    expect(ids()).toEqual([]);
  });
});
