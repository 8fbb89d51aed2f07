import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { NativeAddon, NativeCpuProbe } from '../../server/src/engine/addon/addon-types.js';
import { loadAddon } from '../../server/src/engine/addon/load-addon.js';
import { REPOSITORY_ROOT } from './source-tree.js';

export const NATIVE_DIRECTORY = path.join(REPOSITORY_ROOT, 'dist/native');
export const STARTER_MODEL = path.join(REPOSITORY_ROOT, 'media/model/inkling-starter-55m-Q4_K_M.gguf');

const PROBE = path.join(NATIVE_DIRECTORY, 'inkling-cpu.node');

/** The instruction sets of this processor, best first; an empty name for a single binary. */
export function runnableFlavours(): readonly string[] {
  if (!existsSync(PROBE)) return [''];
  return (createRequire(PROBE)(PROBE) as NativeCpuProbe).flavours();
}

/** The flavours to test: each of them at full scale, otherwise the best. */
export function testedFlavours(): readonly string[] {
  return process.env.INKLING_TEST_SCALE === 'full' ? runnableFlavours() : runnableFlavours().slice(0, 1);
}

/** The addon as the server loads it, by default in the best flavour for this processor. */
export function openAddon(flavour = ''): NativeAddon {
  return loadAddon(NATIVE_DIRECTORY, { INKLING_CPU_FLAVOUR: flavour });
}

/** The file of a flavour, for processes and workers that load it themselves. */
export function addonFile(flavour: string): string {
  return path.join(NATIVE_DIRECTORY, flavour === '' ? 'inkling.node' : `inkling-${flavour}.node`);
}
