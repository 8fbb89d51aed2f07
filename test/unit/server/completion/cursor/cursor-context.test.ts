import { describe, expect, it } from 'vitest';
import { cursorContextAt } from '../../../../../server/src/completion/cursor/cursor-context.js';
import { cursorContext, cursorFixture } from '../../../../support/code/cursor-fixture.js';

describe('cursorContextAt', () => {
  it('splits the document at the cursor', () => {
    expect(cursorContext('a\nb = ║;\n\n  c\n')).toEqual({
      prefix: 'a\nb = ',
      suffix: ';\n\n  c\n',
      linePrefix: 'b = ',
      lineSuffix: ';',
      followingLine: '  c',
      lineEnd: '\n',
    });
  });

  it('shows CRLF documents with line feeds and remembers their line end', () => {
    expect(cursorContext('a\r\nb║c\r\n\r\nd\r\n')).toEqual({
      prefix: 'a\nb',
      suffix: 'c\n\nd\n',
      linePrefix: 'b',
      lineSuffix: 'c',
      followingLine: 'd',
      lineEnd: '\r\n',
    });
    expect(cursorContext('║\r\nb').lineEnd).toBe('\r\n');
    expect(cursorContext('║').lineEnd).toBe('\n');
  });

  it('has no following line at the end of the document', () => {
    expect(cursorContext('a║').followingLine).toBeNull();
    expect(cursorContext('a║b\n  \n').followingLine).toBeNull();
  });

  it('clamps an offset outside the text', () => {
    expect(cursorContextAt('ab', 99, null).prefix).toBe('ab');
    expect(cursorContextAt('ab', -1, null).suffix).toBe('ab');
  });

  it('takes a selected item as accepted', () => {
    const { text, offset } = cursorFixture('console.lo║;');
    const cursor = cursorContextAt(text, offset, { start: offset - 2, text: 'log' });
    expect(cursor.linePrefix).toBe('console.log');
    expect(cursor.lineSuffix).toBe(';');
  });

  it('reads a bounded part of a huge document', () => {
    const huge = 'x'.repeat(1_000_000);
    const cursor = cursorContextAt(huge, 500_000, null);
    expect(cursor.prefix.length + cursor.suffix.length).toBeLessThan(200_000);
  });
});
