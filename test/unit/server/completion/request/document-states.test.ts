import { expect, it } from 'vitest';
import { DocumentStates } from '../../../../../server/src/completion/request/document-states.js';

const URI = 'file:///a.ts';
const change = (offset: number, removed: string, inserted: string) => ({ offset, removed, inserted });

it('takes no move for the cursor behind an edit, where the editor trimmed the line above', () => {
  const states = new DocumentStates();
  states.edited(URI, 2, [change(10, '', '\n    '), change(6, '    ', '')], () => false);
  states.cursorMoved(URI, 11, 0);
  expect(states.of(URI, 0)).toEqual({ lastEdit: 'newLine', movedSinceEdit: false, recentMoves: 0 });
  states.cursorMoved(URI, 3, 0);
  expect(states.of(URI, 0)).toEqual({ lastEdit: 'newLine', movedSinceEdit: true, recentMoves: 1 });
});
