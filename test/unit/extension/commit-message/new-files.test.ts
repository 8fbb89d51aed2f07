import { expect, it } from 'vitest';
import { hasNewFiles } from '../../../../extension/src/commit-message/new-files.js';

const UNTRACKED = { status: 7 };
const MODIFIED = { status: 5 };

it.each([
  [{ workingTreeChanges: [MODIFIED, UNTRACKED] }, true],
  [{ workingTreeChanges: [], untrackedChanges: [UNTRACKED] }, true],
  [{ workingTreeChanges: [MODIFIED], untrackedChanges: [] }, false],
  [{ workingTreeChanges: [null, 5], untrackedChanges: 'many' }, false],
  [{}, false],
  [undefined, false],
])('%j has new files: %j', (state, expected) => {
  expect(hasNewFiles(state)).toBe(expected);
});
