import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineHunks, withHunks } from '../../../../extension/src/chat/code/line-hunks.js';
import {
  afterChange,
  changedLines,
  pendingHunks,
  reversed,
  takingBack,
} from '../../../../extension/src/inline-edit/pending-hunks.js';
import { property } from '../../../support/faults/property.js';

const OLD = ['a', 'b', 'c', 'd', 'e'];
const NEW = ['a', 'x', 'y', 'c', 'e', 'f'];
const pending = pendingHunks(OLD, lineHunks(OLD, NEW));

describe('hunks in a document', () => {
  it('know their new lines and the old ones', () => {
    expect(pending).toEqual([
      { id: 0, start: 1, end: 3, oldLines: ['b'] },
      { id: 1, start: 4, end: 4, oldLines: ['d'] },
      { id: 2, start: 5, end: 6, oldLines: [] },
    ]);
  });

  it('move with changes above them, and stay with changes below', () => {
    expect(afterChange(pending, { start: 0, end: 0, growth: 2 }).map(({ start }) => start)).toEqual([3, 6, 7]);
    expect(afterChange(pending, { start: 3, end: 3, growth: -1 }).map(({ start }) => start)).toEqual([1, 3, 4]);
    expect(afterChange(pending, { start: 6, end: 9, growth: 5 })).toEqual(pending);
    const above = changedLines({ start: { line: 1, character: 0 }, end: { line: 1, character: 0 } }, 'new\n');
    expect(afterChange(pending, above).map(({ start }) => start)).toEqual([2, 5, 6]);
  });

  it.each([
    ['within one', { start: 2, end: 2, growth: 0 }, [1, 2]],
    ['over the place of removed lines', { start: 3, end: 4, growth: 0 }, [0, 2]],
    ['over all', { start: 0, end: 6, growth: -6 }, []],
  ])("are the user's own after a change %s", (_name, change, left) => {
    expect(afterChange(pending, change).map(({ id }) => id)).toEqual(left);
  });

  it.each([
    [
      'above them moves them',
      0,
      1,
      ['A', 'A'],
      [
        [0, 2, 4],
        [1, 5, 5],
        [2, 6, 7],
      ],
      [],
    ],
    [
      'of one is one with it',
      2,
      3,
      ['Y'],
      [
        [1, 4, 4],
        [2, 5, 6],
      ],
      [{ start: 1, end: 3, oldLines: ['b'] }],
    ],
    [
      'of one and a line beside it is one with it',
      2,
      4,
      ['Y'],
      [
        [1, 3, 3],
        [2, 4, 5],
      ],
      [{ start: 1, end: 3, oldLines: ['b', 'c'] }],
    ],
    ['of several is one with them', 1, 6, ['z'], [], [{ start: 1, end: 2, since: 0, oldLines: ['b', 'c', 'd', 'e'] }]],
    [
      'that puts the old lines back ends them',
      1,
      3,
      ['b'],
      [
        [1, 3, 3],
        [2, 4, 5],
      ],
      [],
    ],
    [
      'at the place of removed lines is one with them',
      4,
      4,
      ['D'],
      [
        [0, 1, 3],
        [2, 6, 7],
      ],
      [{ start: 4, end: 5, oldLines: ['d'] }],
    ],
  ] as const)('another edit %s', (_name, start, end, lines, left, merged) => {
    const all = pendingHunks(NEW, [{ start, end, lines }], 3, pending);
    expect(all.filter(({ id }) => id < 3).map((hunk) => [hunk.id, hunk.start, hunk.end])).toEqual(left);
    if (start > 0) expect(all.filter(({ id }) => id >= 3)).toMatchObject(merged);
    else expect(all[0]).toEqual({ id: 3, start: 0, end: 2, oldLines: ['a'] });
  });

  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 10 });
  property(
    'can be taken back one by one, in any order, until the old text is there',
    fc.tuple(lines, lines, fc.infiniteStream(fc.nat())),
    ([before, after, choices]) => {
      let document: readonly string[] = after;
      let left = pendingHunks(before, lineHunks(before, after));
      while (left.length > 0) {
        const chosen = left[(choices.next().value ?? 0) % left.length]!;
        document = withHunks(document, [reversed(chosen)]);
        const growth = chosen.oldLines.length - (chosen.end - chosen.start);
        const end = Math.max(chosen.start, chosen.end - 1);
        left = afterChange(
          left.filter((hunk) => hunk !== chosen),
          { start: chosen.start, end, growth },
        );
      }
      expect(document).toEqual(before);
    },
    { runs: 100 },
  );
});

describe('the hunks of two edits', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });
  property(
    'put back together what was there before both, and are in order',
    fc.tuple(text, text, text),
    ([before, between, after]) => {
      const first = pendingHunks(before, lineHunks(before, between));
      const both = pendingHunks(between, lineHunks(between, after), first.length, first);
      for (const [index, hunk] of both.entries()) expect(hunk.start).toBeGreaterThanOrEqual(both[index - 1]?.end ?? 0);
      expect(withHunks(after, both.map(reversed))).toEqual(before);
      expect(withHunks(after, takingBack(both))).toEqual(before);
      for (const hunk of both) expect(hunk.oldLines).not.toEqual(after.slice(hunk.start, hunk.end));
    },
    { runs: 300 },
  );
});

describe('a change of a document', () => {
  const at = (line: number, character: number) => ({ line, character });

  it.each([
    ['a whole line taken away', at(2, 0), at(3, 0), '', { start: 2, end: 2, growth: -1 }],
    ['a line joined to the one above', at(1, 4), at(2, 0), '', { start: 1, end: 2, growth: -1 }],
    ['whole lines replaced', at(1, 0), at(3, 0), 'x\n', { start: 1, end: 2, growth: -1 }],
    ['whole lines replaced by the beginning of one', at(1, 0), at(3, 0), 'x', { start: 1, end: 3, growth: -2 }],
    ['whole lines written above one', at(2, 0), at(2, 0), 'x\r\ny\r\n', { start: 2, end: 1, growth: 2 }],
    ['a line broken', at(1, 4), at(1, 4), '\r\n', { start: 1, end: 1, growth: 1, breaksAt: 4 }],
    ['a part of a line replaced by a break', at(1, 2), at(1, 4), '\n', { start: 1, end: 1, growth: 1 }],
  ])('knows the lines it touches: %s', (_name, start, end, text, expected) => {
    expect(changedLines({ start, end }, text)).toEqual(expected);
  });

  property(
    'leaves hunks whose new lines are as they were',
    fc.tuple(
      fc.array(fc.constantFrom('', 'a', 'bc'), { minLength: 3, maxLength: 8 }),
      fc.array(fc.nat({ max: 24 }), { minLength: 2, maxLength: 2 }),
      fc.constantFrom('', 'x', '\n', 'x\n', '\nx', 'x\ny'),
      fc.nat(),
    ),
    ([lines, offsets, text, place]) => {
      const document = lines.join('\n');
      const [from = 0, to = 0] = offsets.map((offset) => Math.min(offset, document.length)).sort((a, b) => a - b);
      const position = (offset: number) => {
        const before = document.slice(0, offset).split('\n');
        return at(before.length - 1, before.at(-1)?.length ?? 0);
      };
      const start = place % lines.length;
      const hunk = { id: 0, start, end: start + 1, oldLines: ['old'] };
      const changed = `${document.slice(0, from)}${text}${document.slice(to)}`.split('\n');
      for (const left of afterChange([hunk], changedLines({ start: position(from), end: position(to) }, text))) {
        expect(changed.slice(left.start, left.end)).toEqual([lines[start]]);
      }
    },
  );
});
