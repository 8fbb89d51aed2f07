import { expect, it } from 'vitest';
import { steadyWindow } from '../../../../server/src/next-edit/history/steady-window.js';

const after = (made: number) =>
  steadyWindow(
    Array.from({ length: made }, (_, number) => ({ number })),
    4,
  ).map(({ number }) => number);

it.each([
  [0, []],
  [1, [0]],
  [4, [0, 1, 2, 3]],
  [5, [2, 3, 4]],
  [6, [2, 3, 4, 5]],
  [7, [4, 5, 6]],
  [8, [4, 5, 6, 7]],
])('after %i edits shows %j', (made, shown) => {
  expect(after(made)).toEqual(shown);
});

it('begins with the same edit where some were forgotten', () => {
  expect(steadyWindow([{ number: 30 }, { number: 33 }, { number: 34 }], 4)).toEqual([{ number: 33 }, { number: 34 }]);
});
