import { describe, expect, it } from 'vitest';
import { fileName } from '../../../../extension/src/next-edit/hint-text.js';
import { drawNextEdit, type Viewpoint } from '../../../../extension/src/next-edit/next-edit-drawing.js';
import { placeAfter, shownChange } from '../../../../extension/src/next-edit/shown-change.js';
import type { NextEdit } from '../../../../server/protocol/index.js';

const LINES = ['let amount = 0;', 'for (;;) {', '\tamount += f(1);', '}', ''];

const VIEW: Viewpoint = {
  mode: 'calm',
  elsewhere: null,
  cursor: { line: 0, character: 9 },
  beforeCursor: 'let total',
  arrived: false,
  visible: true,
  tabIsTaken: false,
};

function edit(line: number, oldText: string, newText: string, part: Partial<NextEdit> = {}): NextEdit {
  const character = LINES[line]?.indexOf(oldText.split('\n')[0] ?? '') ?? -1;
  if (character < 0) throw new Error(`line ${line} lacks ${oldText}`);
  const start = { line, character };
  const range = { start, end: placeAfter(start, oldText) };
  return { id: 1, uri: 'file:///w/a.ts', version: 1, range, oldText, newText, reason: 'repeat', more: 0, ...part };
}

function draw(next: NextEdit, view: Partial<Viewpoint> = {}) {
  const change = shownChange(next);
  if (change === null) throw new Error('nothing changes');
  return drawNextEdit(next, change, { ...VIEW, ...view }, (line) => LINES[line] ?? '');
}

const RENAME = edit(2, 'amount', 'total', { more: 4 });
const AT_EDIT = { cursor: { line: 2, character: 1 }, beforeCursor: '\t' };

describe('elsewhere in the file', () => {
  it('a hint stands at the end of the cursor’s line', () => {
    const { isThere, hint, preview } = draw(RENAME);
    expect({ isThere, preview }).toEqual({ isThere: false, preview: null });
    expect(hint).toEqual({ line: 0, text: 'Tab → line 3: rename to `total` (4 more)' });
  });

  it('eager also shows what is visible in its place', () => {
    expect(draw(RENAME, { mode: 'eager' }).preview?.kind).toBe('replacement');
    expect(draw(RENAME, { mode: 'eager' }).hint?.text).toContain('line 3');
    expect(draw(RENAME, { mode: 'eager', visible: false }).preview).toBeNull();
  });

  it.each<[string, Partial<Viewpoint>]>([
    ['ghost text or a selection has it', { tabIsTaken: true }],
    ['it would indent', { beforeCursor: '  ' }],
  ])('the hint does not promise Tab while %s', (_, view) => {
    expect(draw(RENAME, view).hint?.text).toBe('→ line 3: rename to `total` (4 more)');
  });
});

describe('in another file', () => {
  it('the hint names it, and the cursor’s line is no place of the edit', () => {
    const next = edit(0, 'amount', 'total', { uri: 'file:///w/my%20files/b%5B1%5D.ts' });
    const { isThere, hint, preview } = draw(next, { elsewhere: fileName(next.uri) });
    expect({ isThere, preview }).toEqual({ isThere: false, preview: null });
    expect(hint).toEqual({ line: 0, text: 'Tab → b[1].ts, line 1: rename to `total`' });
  });

  it('eager shows it where that file is visible', () => {
    expect(draw(RENAME, { elsewhere: 'b.ts', mode: 'eager' }).preview?.kind).toBe('replacement');
  });
});

describe('at the edit', () => {
  it('an insertion looks as ghost text', () => {
    const next = edit(2, 'f(1)', 'f(1, rate)');
    expect(draw(next, AT_EDIT)).toMatchObject({
      isThere: true,
      hint: null,
      preview: { kind: 'insertion', at: { line: 2, character: 14 }, text: ', rate' },
    });
  });

  it('the old part of a line is marked, the new text behind it', () => {
    expect(draw(RENAME, AT_EDIT).preview).toEqual({
      kind: 'replacement',
      start: { line: 2, character: 1 },
      end: { line: 2, character: 7 },
      text: 'total',
    });
  });

  it('several lines are whole lines, without those that stay', () => {
    const next = edit(1, 'for (;;) {\n\tamount += f(1);\n}', 'for (;;) {\n\tf(1);\n\tf(2);\n}');
    expect(draw(next, AT_EDIT).preview).toEqual({
      kind: 'lines',
      line: 2,
      oldLines: ['\tamount += f(1);'],
      newLines: ['\tf(1);', '\tf(2);'],
    });
  });

  it('new lines alone belong to the line above them', () => {
    const next = edit(1, 'for (;;) {', 'for (;;) {\n\tg();');
    expect(draw(next, { cursor: { line: 1, character: 0 } }).preview).toEqual({
      kind: 'lines',
      line: 1,
      oldLines: [],
      newLines: ['\tg();'],
    });
  });

  it('removed lines have no new ones', () => {
    const next = edit(2, '\tamount += f(1);\n}', '}');
    expect(draw(next, AT_EDIT).preview).toMatchObject({ kind: 'lines', line: 2, newLines: [] });
  });
});

describe('Tab', () => {
  it.each<[string, Partial<Viewpoint>, boolean]>([
    ['is the edit’s behind text', {}, true],
    ['indents at the start of a line', { beforeCursor: '' }, false],
    ['indents behind blanks', { beforeCursor: ' \t ' }, false],
    [
      'is the edit’s for who has just come with Tab',
      { ...AT_EDIT, cursor: { line: 2, character: 0 }, arrived: true },
      true,
    ],
    ['indents again once the user has left', { beforeCursor: '', arrived: true }, false],
    ['is the edit’s at its place', AT_EDIT, true],
    ['indents on its line before its place', { cursor: { line: 2, character: 0 }, beforeCursor: '' }, false],
  ])('%s', (_, view, expected) => {
    expect(draw(RENAME, view).takesTab).toBe(expected);
  });
});
