import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir, release, uptime } from 'node:os';
import { delimiter, join } from 'node:path';
import { errorCode } from '../../util/error-code.js';
import { GPU_FILE } from '../addon/load-addon.js';

/** Where Vulkan's loader looks for drivers on Linux (LoaderDriverInterface.md of the Vulkan-Loader repository). */
const MANIFEST_FOLDERS = ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d'];
/** Where Linux and its subsystem on Windows show GPUs. The permissions of a GPU's file say who may use it. */
const DEVICE_FOLDERS = ['/dev/dri', '/dev/dxg', '/proc/driver/nvidia/gpus'];
const NVIDIA_VERSION = '/proc/driver/nvidia/version';
/** These choose drivers and devices. */
const VARIABLES = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES', 'VK_ADD_DRIVER_FILES', 'DRI_PRIME', 'MESA_VK_DEVICE_SELECT'];
/** Computed from a clock that may be set meanwhile. */
const START_STEP_MS = 600_000;

/**
 * Changes when another probe may find something else: with the addon, the drivers' manifests, the kernel, or the devices
 * that it shows. On Windows, where drivers are listed in the registry, with each start of the machine.
 */
export function driverIdentity(nativeDirectory: string, environment: NodeJS.ProcessEnv): string {
  const named = VARIABLES.flatMap((name) => (environment[name] ?? '').split(delimiter)).filter((path) => path !== '');
  const own = join(environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'vulkan', 'icd.d');
  const parts = [
    release(),
    statusOf(join(nativeDirectory, GPU_FILE)),
    ...VARIABLES.map((name) => `${name}=${environment[name] ?? ''}`),
    ...named.map(statusOf),
    ...[...MANIFEST_FOLDERS, own].flatMap(filesIn).map(statusOf),
    contentOf(NVIDIA_VERSION),
    ...DEVICE_FOLDERS.flatMap((folder) => [folder, ...filesIn(folder)]).map(accessTo),
  ];
  if (process.platform === 'win32') parts.push(machineStart());
  return parts.join('\n');
}

/** Differs after each start of the machine. */
export function machineStart(): string {
  return bootId() ?? String(Math.round((Date.now() - uptime() * 1000) / START_STEP_MS));
}

/** Differs after each start of the machine, and between machines; null where the system has no such id. */
export function bootId(): string | null {
  return (process.platform === 'linux' && contentOf('/proc/sys/kernel/random/boot_id')) || null;
}

function filesIn(folder: string): readonly string[] {
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
    return `${path} ${size} ${mtimeMs}`;
  } catch {
    return `${path} is missing`;
  }
}

function accessTo(path: string): string {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return path;
  } catch (error) {
    return `${path} ${errorCode(error)}`;
  }
}

/** Empty where there is none. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
