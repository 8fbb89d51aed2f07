import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A draft is renamed, or removed, within milliseconds. The clock may be set meanwhile. */
const LEFT_MS = 24 * 60 * 60_000;

/** Drafts of files, and locks on the right to replace a lock (lock-file.ts). */
const PASSING = /\.tmp$|\.lock(\.[0-9a-f]{16})+$/;

/**
 * Removes what processes left that were killed while they wrote a file or took a lock. Nobody else does: the next one has
 * other names for both. For folders in which nobody but Inkling makes files of such names. Never throws.
 */
export function removeLeftDrafts(folder: string): void {
  for (const name of namesIn(folder)) {
    try {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isFile() && Math.abs(Date.now() - stats.mtimeMs) > LEFT_MS) rmSync(path, { force: true });
    } catch {
      // Another process removes it as well, or the folder can only be read.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => PASSING.test(name));
  } catch {
    // No folder, no drafts.
    return [];
  }
}
