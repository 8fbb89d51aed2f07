import { homedir } from 'node:os';
import nodePath from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The whole path of a file that the user has typed or pasted: as it is, in quotes, below `~`, or as a `file:` address.
 * Null for any other text, and for a folder that ends with a separator: most who type one go on.
 */
export function typedPath(
  text: string,
  home = homedir(),
  { isAbsolute, join }: Pick<typeof nodePath, 'isAbsolute' | 'join'> = nodePath,
): string | null {
  const bare = text.trim().replace(/^(["'])(.*)\1$/, '$2');
  const path = /^file:\/\//i.test(bare) ? pathOfAddress(bare) : /^~[/\\]/.test(bare) ? join(home, bare.slice(2)) : bare;
  return path !== null && isAbsolute(path) && !/[/\\]$/.test(bare) ? path : null;
}

/** Null for an address that names no file of this machine. */
function pathOfAddress(address: string): string | null {
  try {
    return fileURLToPath(address);
  } catch {
    return null;
  }
}
