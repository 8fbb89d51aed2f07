import { expect, it } from 'vitest';
import { reopened } from '../../../../extension/src/inline-edit/reopened.js';

const document = (scheme: string, isClosed: boolean) => ({ isClosed, uri: { scheme } });
const cannotOpen = () => Promise.reject(new Error('cannot open file:///a.ts. Unable to resolve nonexistent file'));

it('a document that is still open is itself, also one whose file was deleted', async () => {
  for (const open of [document('file', false), document('untitled', false)]) {
    expect(await reopened(open, cannotOpen)).toBe(open);
  }
});

it('a closed document is opened again', async () => {
  const closed = document('file', true);
  const again = document('file', false);
  expect(await reopened(closed, () => Promise.resolve(again))).toBe(again);
});

it('a closed document whose file was deleted is gone', async () => {
  expect(await reopened(document('file', true), cannotOpen)).toBeNull();
});

it('a closed document without a file is gone: no empty one is made in its place', async () => {
  const empty = document('untitled', false);
  expect(await reopened(document('untitled', true), () => Promise.resolve(empty))).toBeNull();
});
