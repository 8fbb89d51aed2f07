import { expect, it } from 'vitest';
import { placeOfLines } from '../../../../extension/src/inline-edit/line-place.js';

const TEXT = ['a', 'b', 'c', 'a', 'b', 'end'];

it('finds lines where they were', () => {
  expect(placeOfLines(['a', 'b'], TEXT, 3)).toBe(3);
  expect(placeOfLines(['a'], TEXT, 0)).toBe(0);
});

it('finds lines that moved, nearest to where they were', () => {
  expect(placeOfLines(['a', 'b'], ['new', ...TEXT], 0)).toBe(1);
  expect(placeOfLines(['a', 'b'], ['new', ...TEXT], 3)).toBe(4);
  expect(placeOfLines(['end'], TEXT.slice(2), 5)).toBe(3);
  expect(placeOfLines([''], ['a', '', 'b'], 0)).toBe(1);
});

it('finds nothing where the lines have changed, or are only a part of longer ones', () => {
  expect(placeOfLines(['a', 'x'], TEXT, 0)).toBeNull();
  expect(placeOfLines(['en'], TEXT, 5)).toBeNull();
  expect(placeOfLines(['a'], [''], 0)).toBeNull();
});
