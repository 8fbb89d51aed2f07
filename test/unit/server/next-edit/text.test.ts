import { describe, expect, it } from 'vitest';
import { withLineFeeds } from '../../../../server/src/next-edit/text/line-feeds.js';
import { smallestChange } from '../../../../server/src/next-edit/text/smallest-change.js';

describe('the smallest change', () => {
  const applied = (old: string, made: string) => {
    const change = smallestChange(old, made);
    return change === null ? old : old.slice(0, change.start) + change.newText + old.slice(change.end);
  };

  it.each([
    ['sum(a);', 'sum(a, b);', { start: 5, end: 5, newText: ', b' }],
    ['sum(a, b);', 'sum(a);', { start: 5, end: 8, newText: '' }],
    ['aa', 'aaa', { start: 2, end: 2, newText: 'a' }],
    ['', 'a', { start: 0, end: 0, newText: 'a' }],
  ])('of %j to %j', (old, made, change) => {
    expect(smallestChange(old, made)).toEqual(change);
    expect(applied(old, made)).toBe(made);
  });

  it('is none between equal texts', () => {
    expect(smallestChange('a', 'a')).toBeNull();
  });

  it('cuts no surrogate pair', () => {
    const [one, other] = ['a\u{1F600}b', 'a\u{1F601}b'];
    expect(smallestChange(one, other)).toEqual({ start: 1, end: 3, newText: '\u{1F601}' });
    const [low, otherLow] = ['\u{1F600}b', '\u{1FA00}b'];
    expect(applied(low, otherLow)).toBe(otherLow);
    expect(smallestChange(low, otherLow)?.newText).toBe('\u{1FA00}');
  });
});

describe('line feeds', () => {
  const original = 'a\r\nbc\r\n\nd';
  const lines = withLineFeeds(original);

  it('stand for carriage returns with them, and lead back', () => {
    expect(lines.text).toBe('a\nbc\n\nd');
    for (const [offset, character] of [...lines.text].entries()) {
      const there = original[lines.offsetOf(offset)];
      expect(there === '\r' ? '\n' : there).toBe(character);
      expect(lines.fromOriginal(lines.offsetOf(offset))).toBe(offset);
    }
    expect(lines.offsetOf(lines.text.length)).toBe(original.length);
    expect(lines.withItsLineEnds('x\ny')).toBe('x\r\ny');
  });

  it('are left alone where there is no carriage return', () => {
    const same = withLineFeeds('a\nb');
    expect([same.text, same.offsetOf(2), same.fromOriginal(2), same.withItsLineEnds('\n')]).toEqual([
      'a\nb',
      2,
      2,
      '\n',
    ]);
  });
});
