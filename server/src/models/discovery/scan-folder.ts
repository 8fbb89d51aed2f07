import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
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
  /** Absolute paths of `.gguf` files; the first part of a split model. */
  readonly paths: readonly string[];
  /** Whether the whole folder was searched. */
  readonly complete: boolean;
}

/** Searches a folder for models. A missing or inaccessible folder is empty. Writes nothing. */
export async function scanFolder(
  root: string,
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
    for (const entry of (await ifReadable(readdir(folder, { withFileTypes: true }))) ?? []) {
      entries += 1;
      if (entries > maxEntries) return { paths, complete: false };
      const path = join(folder, entry.name);
      const kind = await kindOf(entry, path);
      if (kind === 'file' && isModelName(entry.name)) paths.push(path);
      if (kind !== 'folder') continue;
      if (depth < maxDepth) waiting.push({ folder: path, depth: depth + 1 });
      else complete = false;
    }
  }
  return { paths, complete };
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
