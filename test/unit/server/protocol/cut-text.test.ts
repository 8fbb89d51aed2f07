import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, shortened, splitsPair } from '../../../../server/protocol/index.js';
import { property } from '../../../support/faults/property.js';

const SMILE = '\u{1F600}';
/** Three people, joined. */
const FAMILY = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}';
const FLAG = '\u{1F1E9}\u{1F1EA}';

it('knows the middle of a surrogate pair', () => {
  const text = `a${SMILE}b`;
  expect([0, 1, 2, 3, 4].map((index) => splitsPair(text, index))).toEqual([false, false, true, false, false]);
  expect(splitsPair('\uD83D', 1)).toBe(false);
});

describe('a text that is cut', () => {
  it.each([
    ['a short one', 'abc', 3, 'abc'],
    ['a long one', 'abcd', 3, 'abc'],
    ['nothing', 'abc', 0, ''],
    ['a pair at the cut', `ab${SMILE}`, 3, 'ab'],
    ['a pair before the cut', `a${SMILE}b`, 3, `a${SMILE}`],
    ['joined emoji', `ab${FAMILY}`, 5, 'ab'],
    ['joined emoji that end at the cut', `ab${FAMILY}c`, 2 + FAMILY.length, `ab${FAMILY}`],
    ['a flag after another', `${FLAG}${FLAG}`, 6, FLAG],
    ['a letter with a mark', 'abe\u0301', 3, 'ab'],
    ['a line end', 'ab\r\nc', 3, 'ab'],
  ])('ends between characters: %s', (_name, text, longest, cut) => {
    expect(cutText(text, longest)).toBe(cut);
  });

  it('ends within a character that is longer than any, but in no pair', () => {
    expect(cutText(`a${'\u0301'.repeat(200)}`, 100)).toHaveLength(100);
    expect(cutText(`\u{1F469}${`\u200D${SMILE}`.repeat(100)}`, 100)).toHaveLength(99);
    expect(cutText(FAMILY, 4)).toBe('\u{1F469}\u200D');
  });

  property(
    'is the beginning of it, and whole where the text was',
    fc.tuple(fc.string({ unit: fc.constantFrom('a', SMILE, FLAG, '\u0301', '\u200D'), maxLength: 60 }), fc.nat(200)),
    ([text, longest]) => {
      const cut = cutText(text, longest);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(longest);
      expect(cut.isWellFormed()).toBe(true);
    },
    { runs: 500 },
  );
});

it('has an ellipsis in place of what is left out', () => {
  expect(shortened('abcd', 4)).toBe('abcd');
  expect(shortened('abcde', 4)).toBe('abc…');
  expect(shortened(`ab${SMILE}de`, 4)).toBe('ab…');
});
