import { describe, expect, it } from 'vitest';
import {
  ANCHOR_LINES,
  type Anchor,
  anchorOffsetFor,
  type CursorPlace,
  createAnchor,
  cursorPlace,
  followChange,
  linesBehind,
  middleOf,
  reasonToReanchor,
} from '../../../../../server/src/completion/anchor/anchor.js';
import { AnchorKeeper } from '../../../../../server/src/completion/anchor/anchor-keeper.js';
import type { DocumentChange } from '../../../../../server/src/completion/cursor/edit-kind.js';
import { EMPTY_CONTEXT } from '../../../../../server/src/prompt/context-block.js';
import { cursorFixture } from '../../../../support/code/cursor-fixture.js';
import { seededRandom } from '../../../../support/seeded-random.js';

const BUDGET = { surroundings: 200, middle: 40 };
const URI = 'file:///a.ts';

function placeIn(marked: string): CursorPlace {
  const { text, offset } = cursorFixture(marked);
  return cursorPlace(URI, text, offset, null, 0);
}

function anchoredAt(marked: string): Anchor {
  const place = placeIn(marked);
  return createAnchor(place, lineStartOf(place), BUDGET, EMPTY_CONTEXT);
}

function lineStartOf({ text, typedEnd }: CursorPlace): number {
  return text.lastIndexOf('\n', typedEnd - 1) + 1;
}

describe('the place of an anchor', () => {
  const line = 'some();\n';
  const ROOMY = { surroundings: 200, middle: 1000 };
  const offsetIn = (marked: string, budget = ROOMY) => anchorOffsetFor(placeIn(marked), budget);

  it('is some lines above the cursor, at the start of a line', () => {
    expect(offsetIn(`${line.repeat(20)}b(║);\n`)).toBe((20 - ANCHOR_LINES) * line.length);
  });

  it('is the start of a short file', () => {
    expect(offsetIn('a();\n\nb(║);\n')).toBe(0);
    expect(offsetIn('║')).toBe(0);
  });

  it('leaves half of the middle free', () => {
    const long = `${'x'.repeat(40)}\n`;
    const offset = offsetIn(`${long.repeat(20)}b║`, { surroundings: 200, middle: 60 });
    expect(offset).toBe(18 * long.length);
  });

  it('is on a grid in a line that alone fills the middle', () => {
    const budget = { surroundings: 200, middle: 60 };
    const offsets = [5000, 5001, 5009, 5010].map((length) => offsetIn(`a();\n${'x'.repeat(length)}║`, budget));
    expect(offsets).toEqual([4985, 4985, 4985, 5015]);
    expect(offsetIn(`${'\u{1f600}'.repeat(2000)}x║`, budget) % 2).toBe(0);
  });

  it('reads no more than a window of a huge line', () => {
    const text = 'x'.repeat(50_000_000);
    const place = cursorPlace('file:///a', text, text.length, null, 0);
    const anchor = createAnchor(place, anchorOffsetFor(place, BUDGET), BUDGET, EMPTY_CONTEXT);
    expect(middleOf(anchor, place).typed.length).toBeLessThan(BUDGET.middle);
    expect(reasonToReanchor(anchor, place)).toBeNull();
    expect(reasonToReanchor({ ...anchor, offset: anchor.before.length }, place)).toBe('middleFull');
  });
});

describe('the typedLineStart of an anchor', () => {
  const above = 'a();\nb();\n';
  const place = placeIn(`${above}c(║);\n`);
  const anchor = createAnchor(place, 0, BUDGET, EMPTY_CONTEXT);

  it('separates the text that was there from typed text', () => {
    expect(middleOf(anchor, place)).toEqual({ settled: above, typed: 'c(' });
    expect(middleOf(anchor, placeIn(`${above}c(1,\n  2║);\n`))).toEqual({ settled: above, typed: 'c(1,\n  2' });
  });

  it('moves with changes above it, and is ignored for a cursor above it', () => {
    const longer = followChange(anchor, { offset: 2, removed: 0, inserted: 3 });
    expect(longer?.typedLineStart).toBe(above.length + 3);
    const crossed = followChange(anchor, { offset: 8, removed: 4, inserted: 1 });
    expect(crossed?.typedLineStart).toBe(9);
    expect(middleOf(anchor, placeIn('a();\nb(║);\n'))).toEqual({ settled: '', typed: 'a();\nb(' });
  });
});

describe('an anchor', () => {
  const anchor = anchoredAt('a();\nb(║);\nc();\n');

  it('is at the start of the line, with the text before it and the text after the cursor', () => {
    expect(anchor).toMatchObject({ offset: 5, prefix: 'a();\n', suffix: ');\nc();\n' });
    expect(middleOf(anchor, placeIn('a();\nb(║);\nc();\n'))).toEqual({ settled: '', typed: 'b(' });
  });

  it.each([
    ['holds while typing', 'a();\nb(1, 2║);\nc();\n', null],
    ['holds while deleting', 'a();\n║);\nc();\n', null],
    ['holds on the lines that follow', 'a();\nb(\n  x,\n  ║);\nc();\n', null],
    ['is left by a cursor before it', 'a()║;\nb();\nc();\n', 'cursorLeft'],
    ['is left when the text before it changes', 'x();\nb(║);\nc();\n', 'prefixChanged'],
    ['is left when the text behind the cursor changes', 'a();\nb(║);\nx();\n', 'suffixChanged'],
    ['is left when the document grows at its end', 'a();\nb(║);\nc();\nd();\n', 'suffixChanged'],
    ['is left when the middle is full', `a();\nb(${'argument, '.repeat(20)}║);\nc();\n`, 'middleFull'],
  ])('%s', (_name, marked, reason) => {
    expect(reasonToReanchor(anchor, placeIn(marked))).toBe(reason);
  });

  it('belongs to its document', () => {
    const other = { ...placeIn('a();\nb(║);\nc();\n'), uri: 'file:///b.ts' };
    expect(reasonToReanchor(anchor, other)).toBe('otherFile');
  });

  it('converts line ends for the model, and counts offsets in those of the document', () => {
    const crlf = anchoredAt('a();\r\nb(\r\n  ║);\r\nc();\r\n');
    expect(crlf).toMatchObject({ prefix: 'a();\nb(\n', suffix: ');\nc();\n' });
    const place = placeIn('a();\r\nb(\r\n  x,\r\n  y║);\r\nc();\r\n');
    expect(reasonToReanchor(crlf, place)).toBeNull();
    expect(middleOf(crlf, place)).toEqual({ settled: '', typed: '  x,\n  y' });
    expect(linesBehind(crlf, place)).toBe(1);
  });

  it('treats the selected item as typed', () => {
    const { text, offset } = cursorFixture('console.lo║;\n');
    const place = cursorPlace(URI, text, offset, { start: 8, text: 'log' }, 0);
    const own = createAnchor(place, lineStartOf(place), BUDGET, EMPTY_CONTEXT);
    expect(middleOf(own, place)).toEqual({ settled: '', typed: 'console.log' });
    expect(own.suffix).toBe(';\n');
  });
});

/**
 * Random edits, cursors and line ends. After each, the kept anchor must equal a new one at its place: a prompt never
 * depends on the history of its text.
 */
describe('after any edits', () => {
  const PIECES = ['x', '\n', '\r\n', '  ', 'é', '😀', 'value(1);\n', 'word ', '\t'];

  it.each(Array.from({ length: 60 }, (_, seed) => seed))('the anchor equals a fresh one (seed %i)', (seed) => {
    const random = seededRandom(seed);
    const anchors = new AnchorKeeper();
    let text = Array.from({ length: 40 }, (_, line) => `line ${line} of the file;`).join(seed % 2 ? '\n' : '\r\n');
    let cursor = random.below(text.length);
    let kept = 0;
    for (let step = 0; step < 120; step += 1) {
      const roll = random.below(10);
      let at = cursor;
      let removed = '';
      let inserted = '';
      if (roll < 5) inserted = PIECES[random.below(PIECES.length)] ?? '';
      else if (roll < 7) removed = text.slice(Math.max(0, cursor - 1 - random.below(4)), cursor);
      else if (roll < 8) cursor = random.below(text.length + 1);
      else {
        // A change elsewhere: a formatter, a rename, another view of the same file.
        at = random.below(text.length + 1);
        removed = text.slice(at, at + random.below(3));
        inserted = random.below(2) ? 'y\n' : '';
        at += removed.length;
      }
      const change: DocumentChange = { offset: at - removed.length, removed, inserted };
      if (removed !== '' || inserted !== '') {
        text = text.slice(0, change.offset) + inserted + text.slice(at);
        anchors.follow(URI, [change]);
        cursor = roll < 8 ? change.offset + inserted.length : Math.min(cursor, text.length);
      }
      const place = cursorPlace(URI, text, cursor, null, 0);
      const { anchor, reanchored } = anchors.anchorFor(place, BUDGET, EMPTY_CONTEXT);
      if (reanchored === null) kept += 1;
      const fresh = createAnchor(place, anchor.offset, BUDGET, EMPTY_CONTEXT);
      expect(anchor, `step ${step}`).toEqual({ ...fresh, typedLineStart: anchor.typedLineStart });
      const { settled, typed } = middleOf(anchor, place);
      expect(settled + typed, `step ${step}`).toBe(text.slice(anchor.offset, cursor).replace(/\r\n?/g, '\n'));
      if (reanchored !== null) expect(text.slice(anchor.typedLineStart, cursor), `step ${step}`).not.toContain('\n');
    }
    expect(kept).toBeGreaterThan(20);
  });
});
