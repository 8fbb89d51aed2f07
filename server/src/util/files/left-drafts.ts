import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A draft is renamed, or removed, within milliseconds. The clock may be set meanwhile. */
const LEFT_MS = 24 * 60 * 60_000;

/** Names of our own drafts and locks only: users may choose any folder for the state. */
const OWN_NAMES = [
  // State files (json-file.ts).
  /\.json\.inkling-\d+\.tmp$/,
  // Markers (process-markers.ts).
  /^\d+-\d+\.json\.tmp$/,
  // Locks, and those on the right to replace one (lock-file.ts).
  /\.lock(?:\.[0-9a-f]{16})*\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/,
  /\.lock(?:\.[0-9a-f]{16})+$/,
  // Keys of offers (offer-folder.ts).
  /^[0-9a-f]{24}\.\d+\.tmp$/,
];

/**
 * Removes the drafts and locks of processes that were killed while they wrote a file or took a lock. No later process
 * does: each has other names for both. Never throws.
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
    return readdirSync(folder).filter((name) => OWN_NAMES.some((pattern) => pattern.test(name)));
  } catch {
    // No folder, no drafts.
    return [];
  }
}
