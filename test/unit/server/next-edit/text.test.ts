import { describe, expect, it } from 'vitest';
import { withLineFeeds } from '../../../../server/src/next-edit/text/line-feeds.js';

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
