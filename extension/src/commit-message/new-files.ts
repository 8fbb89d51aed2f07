import { isRecord } from '../../../server/protocol/index.js';

/** git's API: `Status.UNTRACKED`. */
const UNTRACKED = 7;

/**
 * Whether a repository has new files, which are in no diff until they are staged.
 *
 * @param state of the repository, from another extension, whose versions say more or less; false where it does not say
 */
export function hasNewFiles(state: unknown): boolean {
  if (!isRecord(state)) return false;
  // The setting `git.untrackedChanges` decides which of both lists has them.
  const { untrackedChanges, workingTreeChanges } = state;
  const isNew = (change: unknown) => isRecord(change) && change.status === UNTRACKED;
  return (
    (Array.isArray(untrackedChanges) && untrackedChanges.length > 0) ||
    (Array.isArray(workingTreeChanges) && workingTreeChanges.some(isNew))
  );
}
