import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifReadable } from '../../util/if-readable.js';
import { parseSplitName } from '../gguf/split-file.js';

export interface ScanLimits {
  readonly maxDepth: number;
  readonly maxEntries: number;
}

/** Real caches are smaller; a link to `/` would not be. */
const SCAN_LIMITS: ScanLimits = { maxDepth: 8, maxEntries: 20_000 };

export interface ScanResult {
  /** Absolute. */
  readonly paths: readonly string[];
  /** Whether the whole folder was searched. */
  readonly complete: boolean;
}

/** Searches a folder for models: `.gguf` files, of split models the first part. */
export async function scanFolder(root: string, signal: AbortSignal, limits?: ScanLimits): Promise<ScanResult> {
  return filesBelow(root, isModelName, signal, limits);
}

/** The files in a folder, and in those below it. A missing or inaccessible folder is empty. Writes nothing. */
export async function filesBelow(
  root: string,
  isWanted: (name: string) => boolean,
  signal: AbortSignal,
  { maxDepth, maxEntries }: ScanLimits = SCAN_LIMITS,
): Promise<ScanResult> {
  const paths: string[] = [];
  const seen = new Set<string>();
  const waiting = [{ folder: root, depth: 0 }];
  let entries = 0;
  let complete = true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (signal.aborted) return { paths, complete: false };
    const { folder, depth } = next;
    const real = await ifReadable(realpath(folder));
    // A link to a parent folder would never end.
    if (real === null || seen.has(real)) continue;
    seen.add(real);
    for (const entry of (await ifReadable(entriesOf(folder, maxEntries - entries + 1))) ?? []) {
      entries += 1;
      if (entries > maxEntries) return { paths, complete: false };
      const path = join(folder, entry.name);
      const kind = await kindOf(entry, path);
      if (kind === 'file' && isWanted(entry.name)) paths.push(path);
      if (kind !== 'folder') continue;
      if (depth < maxDepth) waiting.push({ folder: path, depth: depth + 1 });
      else complete = false;
    }
  }
  return { paths, complete };
}

/** In order of their names. A folder may have a million: no more are held than can count. */
async function entriesOf(folder: string, most: number): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder)) {
    if (entries.push(entry) >= most) break;
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function isModelName(name: string): boolean {
  return /\.gguf$/i.test(name) && (parseSplitName(name)?.index ?? 1) === 1;
}

/** Follows links: the Hugging Face cache names its blobs by them. */
async function kindOf(entry: Dirent, path: string): Promise<'file' | 'folder' | 'other'> {
  const status = entry.isSymbolicLink() ? await ifReadable(stat(path)) : entry;
  if (status === null) return 'other';
  if (status.isFile()) return 'file';
  return status.isDirectory() ? 'folder' : 'other';
}
