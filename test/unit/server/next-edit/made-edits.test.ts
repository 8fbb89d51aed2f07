import { beforeEach, expect, it } from 'vitest';
import { MadeEdits } from '../../../../server/src/next-edit/history/made-edits.js';

const URI = 'file:///a.ts';

let made: MadeEdits;

beforeEach(() => {
  made = new MadeEdits();
  made.add(URI, { offset: 4, removed: 'itemCount', inserted: 'itemTotal' });
});

it('a made edit is taken back once, wherever it is by now', () => {
  const undo = [{ offset: 9, removed: 'itemTotal', inserted: 'itemCount' }];
  expect(made.takeBack(URI, undo)).toBe(true);
  expect(made.takeBack(URI, undo)).toBe(false);
});

it.each([
  ['as the smallest difference', URI, [{ offset: 8, removed: 'Total', inserted: 'Count' }], true],
  [
    'together with another change',
    URI,
    [
      { offset: 20, removed: 'x', inserted: '' },
      { offset: 4, removed: 'itemTotal', inserted: 'itemCount' },
    ],
    true,
  ],
  ['by a redo', URI, [{ offset: 4, removed: 'itemCount', inserted: 'itemTotal' }], false],
  ['in another file', 'file:///b.ts', [{ offset: 4, removed: 'itemTotal', inserted: 'itemCount' }], false],
  ['by no change', URI, [], false],
])('%s: %s %j', (_name, uri, changes, expected) => {
  expect(made.takeBack(uri, changes)).toBe(expected);
});

it('edits of a closed document are forgotten', () => {
  made.closed(URI);
  expect(made.takeBack(URI, [{ offset: 4, removed: 'itemTotal', inserted: 'itemCount' }])).toBe(false);
});
