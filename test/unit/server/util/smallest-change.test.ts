import { describe, expect, it } from 'vitest';
import { smallestChange } from '../../../../server/src/util/smallest-change.js';

describe('the smallest change', () => {
  const applied = (old: string, made: string) => {
    const change = smallestChange(old, made);
    return change === null ? old : old.slice(0, change.start) + change.newText + old.slice(change.end);
  };

  it.each([
    ['sum(a);', 'sum(a, b);', { start: 5, end: 5, newText: ', b' }],
    ['sum(a, b);', 'sum(a);', { start: 5, end: 8, newText: '' }],
    ['abc', 'abXc', { start: 2, end: 2, newText: 'X' }],
    ['abc', 'ac', { start: 1, end: 2, newText: '' }],
    ['aa', 'aaa', { start: 2, end: 2, newText: 'a' }],
    ['', 'a', { start: 0, end: 0, newText: 'a' }],
    ['abc', 'xyz', { start: 0, end: 3, newText: 'xyz' }],
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
    expect(smallestChange('x\uDE00', '\uD83D\uDE00')?.newText).toBe('\u{1F600}');
  });
});
