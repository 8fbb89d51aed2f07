import { expect, it } from 'vitest';
import { codeKind } from '../../../../../extension/src/chat/attachments/code-kind.js';

it.each([
  ['the selection', { isEmpty: false }, 'selection'],
  ['the file where nothing is selected', { isEmpty: true }, 'currentFile'],
  // So that the user reads that no file is open, not that nothing is selected.
  ['the file where none is open', undefined, 'currentFile'],
])('a question is about %s', (_name, selection, kind) => {
  expect(codeKind(selection)).toBe(kind);
});
