import { describe, expect, it } from 'vitest';
import type { EditedLines } from '../../../../server/src/context/context-source.js';
import { followEdits } from '../../../../server/src/context/edited-lines.js';

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

function changed(before: readonly string[], at: number, removed: number, ...added: string[]): string[] {
  return [...before.slice(0, at), ...added, ...before.slice(at + removed)];
}

describe('followEdits', () => {
  it('finds the changed range', () => {
    const before = lines(40);
    expect(followEdits([], before, changed(before, 20, 1, 'new'), 7)).toEqual([{ start: 20, end: 21, time: 7 }]);
    expect(followEdits([], before, changed(before, 20, 0, 'a', 'b'), 7)).toEqual([{ start: 20, end: 22, time: 7 }]);
    expect(followEdits([], before, changed(before, 20, 3), 7)).toEqual([{ start: 20, end: 21, time: 7 }]);
    expect(followEdits([], before, before, 7)).toEqual([]);
  });

  it('moves edited ranges with changes above them', () => {
    const before = lines(40);
    const edits = [{ start: 30, end: 32, time: 1 }];
    expect(followEdits(edits, before, changed(before, 5, 0, 'a', 'b'), 2)).toEqual([
      { start: 32, end: 34, time: 1 },
      { start: 5, end: 7, time: 2 },
    ]);
  });

  it('joins close ranges, with the time of the last', () => {
    const before = lines(40);
    const edits = [{ start: 10, end: 11, time: 1 }];
    expect(followEdits(edits, before, changed(before, 13, 1, 'x'), 2)).toEqual([{ start: 10, end: 14, time: 2 }]);
    expect(followEdits(edits, before, changed(before, 20, 1, 'x'), 2)).toHaveLength(2);
  });

  it('ignores changes too large for typing', () => {
    const before = lines(10);
    expect(followEdits([], before, changed(before, 5, 0, ...lines(80)), 1)).toEqual([]);
  });

  it('keeps within the file and within its limit, whatever happens', () => {
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    let text = lines(60);
    let edits: readonly EditedLines[] = [];
    for (let time = 1; time <= 2000; time++) {
      const at = random(text.length + 1);
      const after = changed(text, at, random(4), ...Array.from({ length: random(4) }, () => `${time} ${random(9)}`));
      edits = followEdits(edits, text, after, time);
      text = after.length === 0 ? [''] : after;
      expect(edits.length).toBeLessThanOrEqual(8);
      for (const { start, end, time: when } of edits) {
        expect(start, `step ${time}`).toBeGreaterThanOrEqual(0);
        expect(end, `step ${time}`).toBeGreaterThan(start);
        expect(end, `step ${time}`).toBeLessThanOrEqual(text.length + 1);
        expect(when).toBeLessThanOrEqual(time);
      }
    }
  });
});
