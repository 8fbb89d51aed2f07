import { readdirSync, statSync } from 'node:fs';
import { homedir, release, uptime } from 'node:os';
import { delimiter, join } from 'node:path';
import { GPU_FILE } from '../load-addon.js';

/** Where Vulkan's loader looks for drivers on Linux (LoaderDriverInterface.md of the Vulkan-Loader repository). */
const MANIFEST_FOLDERS = ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d'];
/** These choose drivers and devices. */
const VARIABLES = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES', 'VK_ADD_DRIVER_FILES', 'DRI_PRIME', 'MESA_VK_DEVICE_SELECT'];
/** Computed from a clock that may be set meanwhile. */
const START_STEP_MS = 600_000;

/**
 * Changes when another probe may find something else: with the addon, the drivers' manifests, or the kernel. On Windows,
 * where drivers are listed in the registry, with each start of the machine.
 */
export function driverIdentity(nativeDirectory: string, environment: NodeJS.ProcessEnv): string {
  const named = VARIABLES.flatMap((name) => (environment[name] ?? '').split(delimiter)).filter((path) => path !== '');
  const own = join(environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'vulkan', 'icd.d');
  const parts = [
    release(),
    statusOf(join(nativeDirectory, GPU_FILE)),
    ...VARIABLES.map((name) => `${name}=${environment[name] ?? ''}`),
    ...named.map(statusOf),
    ...[...MANIFEST_FOLDERS, own].flatMap(manifestsIn).map(statusOf),
    statusOf('/proc/driver/nvidia/version'),
  ];
  if (process.platform === 'win32') parts.push(String(Math.round((Date.now() - uptime() * 1000) / START_STEP_MS)));
  return parts.join('\n');
}

function manifestsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function statusOf(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    // Files of /proc are always new.
    return path.startsWith('/proc/') ? `${path} is there` : `${path} ${size} ${mtimeMs}`;
  } catch {
    return `${path} is missing`;
  }
}
