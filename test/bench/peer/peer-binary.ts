import { existsSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

/** A program of llama.cpp, built by `npm run bench:peer` for this instruction set. */
export function peerBinary(name: 'llama-server' | 'llama-bench', flavour: string): string {
  const cache = process.env.INKLING_CACHE_DIR ?? path.join(REPOSITORY_ROOT, '.cache');
  const file = path.join(cache, 'peer', flavour, 'bin', name);
  if (!existsSync(file)) throw new Error(`there is no ${file}; build it first: npm run bench:peer`);
  return file;
}
