import { beforeEach, expect, it } from 'vitest';
import { UndoneVersions } from '../../../../server/src/next-edit/history/undone-versions.js';

const URI = 'file:///a.ts';
const CHANGES = [{ offset: 3, removed: 'a', inserted: '' }];

let undone: UndoneVersions;

beforeEach(() => {
  undone = new UndoneVersions();
});

it('knows the changes of an undo that is announced after them', () => {
  expect(undone.edited(URI, 2, CHANGES)).toBe(false);
  expect(undone.announced(URI, 2, 2)).toEqual(CHANGES);
  expect(undone.edited(URI, 3, CHANGES)).toBe(false);
});

it('knows an undo that was announced before its change, once', () => {
  expect(undone.announced(URI, 2, 1)).toEqual([]);
  expect(undone.edited('file:///b.ts', 2, CHANGES)).toBe(false);
  expect(undone.edited(URI, 2, CHANGES)).toBe(true);
  expect(undone.edited(URI, 2, CHANGES)).toBe(false);
});

it('knows nothing of a document that was closed', () => {
  undone.edited(URI, 2, CHANGES);
  undone.announced(URI, 3, 2);
  undone.closed(URI);
  expect(undone.announced(URI, 2, null)).toEqual([]);
  expect(undone.edited(URI, 3, CHANGES)).toBe(false);
});
