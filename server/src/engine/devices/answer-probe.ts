import { loadGpuAddon } from '../addon/load-addon.js';
import { followParent } from '../addon/watchdog.js';
import { toEngineError } from '../port/engine-error.js';
import type { Trial } from './gpu-device.js';

/** A line of the probe, as JSON. */
export type ProbeLine =
  /** First: every device, without its trial. */
  | { readonly devices: readonly unknown[] }
  /** Before a device computes: where nothing follows, it ended the process, or hangs. */
  | { readonly trying: string }
  | { readonly tried: string; readonly trial: Trial };

/**
 * The program of the process that `probeDevices` starts: lists this machine's devices on stdout, and has each of them
 * compute. A broken driver ends this process, or hangs it, and not the server.
 *
 * @param skipped ids and kinds of devices that are not tried
 */
export async function answerProbe(
  nativeDirectory: string,
  environment: NodeJS.ProcessEnv,
  skipped: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const say = (line: ProbeLine): void => write(`${JSON.stringify(line)}\n`);
  // A driver that hangs while it starts keeps the loop from hearing of the parent's end.
  followParent(nativeDirectory, environment);
  const addon = loadGpuAddon(nativeDirectory);
  const devices = addon.devices();
  say({ devices });
  for (const { id, kind } of devices) {
    if (skipped.includes(id) || skipped.includes(kind)) continue;
    say({ trying: id });
    say({ tried: id, trial: await tryDevice(addon, id) });
  }
}

async function tryDevice(addon: ReturnType<typeof loadGpuAddon>, id: string): Promise<Trial> {
  try {
    return { kind: 'works', ...(await addon.tryDevice(id)) };
  } catch (thrown) {
    return { kind: 'failed', reason: toEngineError(thrown).message.slice(0, 500) };
  }
}
