import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/**
 * The addon's files, from the root: one module, or one for each instruction set with the probe that chooses. Only the
 * build knows which, since compiler and GPU decide; it writes the list when it is configured.
 */
export function nativeModules() {
  const names = readFileSync(path.join(root, 'build/node-modules.txt'), 'utf8').trim().split('\n');
  return names.map((name) => `dist/native/${name}`);
}
