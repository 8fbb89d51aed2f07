import { describe, expect, it } from 'vitest';
import { DocumentStates } from '../../../../../server/src/completion/request/document-states.js';

const URI = 'file:///a.ts';
const kindOf = (states: DocumentStates) => states.of(URI, 0).lastEdit;
const change = (offset: number, removed: string, inserted: string) => ({ offset, removed, inserted });

it('takes no move for the cursor behind an edit, where the editor trimmed the line above', () => {
  const states = new DocumentStates();
  states.edited(URI, 2, [change(10, '', '\n    '), change(6, '    ', '')], () => false);
  states.cursorMoved(URI, 11, 0);
  expect(states.of(URI, 0)).toEqual({ lastEdit: 'newLine', movedSinceEdit: false, recentMoves: 0 });
  states.cursorMoved(URI, 3, 0);
  expect(states.of(URI, 0)).toEqual({ lastEdit: 'newLine', movedSinceEdit: true, recentMoves: 1 });
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
