import { expect, it } from 'vitest';
import { columnBehind, tabText } from '../../../../extension/src/next-edit/typed-tab.js';

it.each([
  ['', 2, true, '  '],
  ['abc', 2, true, ' '],
  ['abc', 4, true, ' '],
  ['\ta', 4, true, '   '],
  ['abc', 4, false, '\t'],
])('behind %j, %i wide, spaces %s', (before, tabSize, insertSpaces, expected) => {
  expect(tabText(columnBehind(before, tabSize), { tabSize, insertSpaces })).toBe(expected);
});
