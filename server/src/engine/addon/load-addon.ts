import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { t } from '../../../protocol/index.js';
import { EngineError } from '../port/engine-error.js';
import type { NativeAddon, NativeCpuProbe, NativeGpuAddon } from './addon-types.js';

const PROBE_FILE = 'inkling-cpu.node';
const SINGLE_FILE = 'inkling.node';
/** The flavour that also knows GPUs. Its file needs libvulkan, which not every machine has. */
export const GPU_FILE = 'inkling-vulkan.node';

/** A thread that ends this process, whatever its JavaScript loop does. */
export type WatchdogThread = InstanceType<NativeAddon['Watchdog']>;

/** In milliseconds; 0 does not watch. */
export type WatchdogLimits = ConstructorParameters<NativeAddon['Watchdog']>[0];

/** What decides which binary is loaded. */
export interface AddonChoice {
  /** Instruction sets that this processor runs, best first; null for a build without a probe (one binary for all). */
  readonly runnable: readonly string[] | null;
  /** `INKLING_CPU_FLAVOUR`, granted only where the processor can run it; null or empty for the best. */
  readonly wanted: string | null;
  readonly exists: (fileName: string) => boolean;
}

/**
 * The file name of the addon for this processor. A flavour that the processor cannot run is never chosen: the process
 * would die of an illegal instruction at the first decode.
 * @throws EngineError `addonUnavailable`
 */
export function chooseAddonFile({ runnable, wanted, exists }: AddonChoice): string {
  if (runnable === null) {
    if (exists(SINGLE_FILE)) return SINGLE_FILE;
    throw unavailable(t('neither {0} nor {1} exists', PROBE_FILE, SINGLE_FILE));
  }
  if (runnable.length === 0) throw unavailable(t('this processor does not support AVX2'));
  if (wanted !== null && wanted !== '' && !runnable.includes(wanted)) {
    const usable = runnable.join(', ');
    throw unavailable(t('INKLING_CPU_FLAVOUR is "{0}", but this processor supports only: {1}', wanted, usable));
  }
  const candidates = wanted ? [wanted] : runnable;
  const fileNames = candidates.map((flavour) => `inkling-${flavour}.node`);
  const found = fileNames.find(exists);
  if (found === undefined) throw unavailable(t('none of these files exist: {0}', fileNames.join(', ')));
  return found;
}

/**
 * Loads the native addon from a folder of binaries. Synchronous, because `dlopen` is.
 * @throws EngineError `addonUnavailable`, naming what is missing
 */
export function loadAddon(nativeDirectory: string, environment: NodeJS.ProcessEnv): NativeAddon {
  const exists = (fileName: string): boolean => existsSync(join(nativeDirectory, fileName));
  const open = (fileName: string): unknown => openModule(nativeDirectory, fileName);
  try {
    const runnable = exists(PROBE_FILE) ? (open(PROBE_FILE) as NativeCpuProbe).flavours() : null;
    return open(chooseAddonFile({ runnable, wanted: environment.INKLING_CPU_FLAVOUR ?? null, exists })) as NativeAddon;
  } catch (error) {
    if (error instanceof EngineError) error.message += ` (looked in ${nativeDirectory})`;
    throw error;
  }
}

/** Whether there may be GPUs to use: the flavour for them was built, and this processor can run it. */
export function hasGpuAddon(nativeDirectory: string): boolean {
  const [gpu, probe] = [GPU_FILE, PROBE_FILE].map((fileName) => join(nativeDirectory, fileName));
  if (gpu === undefined || probe === undefined || !existsSync(gpu) || !existsSync(probe)) return false;
  try {
    // The plain flavour's kernels compute what the GPU does not.
    return (openModule(nativeDirectory, PROBE_FILE) as NativeCpuProbe).flavours().length > 0;
  } catch {
    return false;
  }
}

/**
 * Loads the flavour for GPUs and starts their drivers. A broken driver may end the process, or hang it: only where a probe
 * has done the same before (devices/probe-devices.ts), or to probe.
 * @throws EngineError `addonUnavailable`, such as without libvulkan
 */
export function loadGpuAddon(nativeDirectory: string): NativeGpuAddon {
  return openModule(nativeDirectory, GPU_FILE) as NativeGpuAddon;
}

function openModule(nativeDirectory: string, fileName: string): unknown {
  const path = join(nativeDirectory, fileName);
  try {
    return createRequire(path)(path);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new EngineError('addonUnavailable', t('The native engine {0} cannot be loaded: {1}', fileName, detail), {
      cause: error,
    });
  }
}

function unavailable(reason: string): EngineError {
  return new EngineError('addonUnavailable', t('The native engine is not available: {0}', reason));
}
