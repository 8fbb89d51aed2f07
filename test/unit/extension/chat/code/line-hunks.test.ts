import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hunkEdit } from '../../../../../extension/src/chat/code/hunk-edit.js';
import { lineHunks, withHunks } from '../../../../../extension/src/chat/code/line-hunks.js';
import { property } from '../../../../support/faults/property.js';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 });

describe('lineHunks', () => {
  it('finds the fewest changed lines', () => {
    expect(lineHunks(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
      { start: 1, end: 2, lines: ['x'] },
      { start: 4, end: 4, lines: ['e'] },
    ]);
    expect(lineHunks(['a', 'b', 'c'], ['c'])).toEqual([{ start: 0, end: 2, lines: [] }]);
    expect(lineHunks(['a'], ['a'])).toEqual([]);
  });

  it('makes one hunk of texts that have little in common, and stays quick', () => {
    const numbered = (name: string) => Array.from({ length: 5_000 }, (_, index) => `${name}${index}`);
    const hunks = lineHunks(['same', ...numbered('a'), 'end'], ['same', ...numbered('b'), 'end']);
    expect(hunks).toEqual([{ start: 1, end: 5_001, lines: numbered('b') }]);
  });

  property(
    'leads from one text to the other, in order and without overlap',
    fc.tuple(lines, lines),
    ([before, after]) => {
      const hunks = lineHunks(before, after);
      expect(withHunks(before, hunks)).toEqual(after);
      for (const [index, hunk] of hunks.entries()) expect(hunk.start).toBeGreaterThan(hunks[index - 1]?.end ?? -1);
    },
    { runs: 200 },
  );
});

describe('hunkEdit', () => {
  property(
    'changes a text like its hunk, also at its end',
    fc.tuple(lines, lines),
    ([before, after]) => {
      let text = before.join('\n');
      for (const hunk of lineHunks(before, after).reverse()) {
        const edit = hunkEdit(hunk, before);
        const offset = ({ line, character }: { line: number; character: number }) =>
          before.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
        text = text.slice(0, offset(edit.start)) + edit.text + text.slice(offset(edit.end));
      }
      expect(text).toBe(after.join('\n'));
    },
    { runs: 200 },
  );
});
