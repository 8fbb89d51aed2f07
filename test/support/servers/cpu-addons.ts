import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY_ROOT } from '../source-tree.js';

const BUILT = path.join(REPOSITORY_ROOT, 'dist/native');
const FOLDER = path.join(REPOSITORY_ROOT, 'test/.output/cpu-addons');

/** Of a server that looks for GPUs, and finds none. */
export const NO_DRIVER = { VK_DRIVER_FILES: '/none.json' };

/**
 * The environment of a server that looks for no GPU: that costs a process and a sixth of a second of processor time at
 * each start. Its addons are links to the built ones without that for GPUs. Windows admits no links, so there the server
 * looks, and finds no driver.
 */
export function withoutGpus(): NodeJS.ProcessEnv {
  if (process.platform === 'win32') return NO_DRIVER;
  mkdirSync(FOLDER, { recursive: true });
  const addons = readdirSync(BUILT).filter((name) => name !== 'inkling-vulkan.node');
  for (const name of addons) link(path.join(BUILT, name), path.join(FOLDER, name));
  return { INKLING_NATIVE_DIR: FOLDER };
}

/** Other tests may make the same link at the same time. */
function link(target: string, file: string): void {
  try {
    symlinkSync(target, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
