import { describe, expect, it } from 'vitest';
import { DocumentStates } from '../../../../../server/src/completion/request/document-states.js';

const URI = 'file:///a.ts';
const kindOf = (states: DocumentStates) => states.of(URI, 0, 0).lastEdit;
const change = (offset: number, removed: string, inserted: string) => ({ offset, removed, inserted });

it('takes no move for the cursor behind an edit, where the editor trimmed the line above', () => {
  const states = new DocumentStates();
  states.edited(URI, 2, [change(10, '', '\n    '), change(6, '    ', '')], () => false);
  states.cursorMoved(URI, 11, 0);
  expect(states.of(URI, 0, 11)).toEqual({ lastEdit: 'newLine', movedSinceEdit: false, recentMoves: 0 });
  states.cursorMoved(URI, 3, 0);
  expect(states.of(URI, 0, 3)).toEqual({ lastEdit: 'newLine', movedSinceEdit: true, recentMoves: 1 });
});

it('takes an edit far from the cursor for none of the user, such as an import that the editor adds', () => {
  const states = new DocumentStates();
  states.edited(URI, 2, [change(100, 'readF', 'readFileSync')], () => false);
  states.edited(URI, 3, [change(10, '', "import { readFileSync } from 'fs';\n")], () => false);
  expect(states.of(URI, 0, 147)).toMatchObject({ lastEdit: 'pasted', movedSinceEdit: true, recentMoves: 0 });
  expect(states.of(URI, 0, 45)).toMatchObject({ lastEdit: 'pasted', movedSinceEdit: false });
  states.edited(URI, 4, [change(300, 'a', 'b'), change(200, 'a', 'bcd')], () => false);
  expect(states.of(URI, 0, 147)).toMatchObject({ lastEdit: 'replaced', movedSinceEdit: true });
  // Between two of several places, as at one of several cursors or in formatted code.
  for (const offset of [200, 203, 250, 303]) expect(states.of(URI, 0, offset).movedSinceEdit).toBe(false);
  expect(states.of(URI, 0, 304).movedSinceEdit).toBe(true);
  states.edited(URI, 5, [change(200, 'a', ''), change(150, 'a', '')], () => false);
  for (const offset of [150, 199]) expect(states.of(URI, 0, offset).movedSinceEdit).toBe(false);
  expect(states.of(URI, 0, 200).movedSinceEdit).toBe(true);
});

it('takes an undo for an edit of the user, wherever the cursor is', () => {
  const states = new DocumentStates();
  states.undone(URI, 2);
  states.edited(URI, 2, [change(10, '', 'abc')], () => false);
  expect(states.of(URI, 0, 147)).toMatchObject({ lastEdit: 'undone', movedSinceEdit: false });
});

describe('an undo', () => {
  const typed = [change(3, '', 'a')];

  it('is known, whether it is told before or after the change that it made', () => {
    const states = new DocumentStates();
    states.edited(URI, 2, typed, () => false);
    states.undone(URI, 2);
    expect(kindOf(states)).toBe('undone');
    states.undone(URI, 3);
    states.edited(URI, 3, typed, () => false);
    expect(kindOf(states)).toBe('undone');
  });

  it('is over with the next key', () => {
    const states = new DocumentStates();
    states.undone(URI, 2);
    states.edited(URI, 2, typed, () => false);
    states.edited(URI, 3, typed, () => false);
    expect(kindOf(states)).toBe('typed');
    states.undone(URI, 2);
    expect(kindOf(states)).toBe('typed');
  });

  it('is forgotten with the document, whose versions start again', () => {
    const states = new DocumentStates();
    states.undone(URI, 2);
    states.closed(URI);
    states.edited(URI, 2, typed, () => false);
    expect(kindOf(states)).toBe('typed');
  });
});
