import { statSync } from 'node:fs';
import path from 'node:path';
import { hasGpuAddon } from '../../server/src/engine/addon/load-addon.js';
import { AUTOMATIC, chooseDevices, isWorthDevice, PROCESSOR } from '../../server/src/engine/devices/choose-device.js';
import type { GpuDevice } from '../../server/src/engine/devices/gpu-device.js';
import { type ProbeResult, probeDevices } from '../../server/src/engine/devices/probe-devices.js';
import { NATIVE_DIRECTORY, runnableFlavours } from '../support/addon.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';

/** What can list GPUs: the Vulkan flavour, nothing, or the one binary of this build, whose engine names them. */
export type Lister = 'vulkan' | 'none' | 'engine';

export function listerOfDevices(): Lister {
  if (hasGpuAddon(NATIVE_DIRECTORY)) return 'vulkan';
  return runnableFlavours().includes('') ? 'engine' : 'none';
}

/** The devices that the server would find, tried in another process as there. One that is named is tried in any case. */
export async function findDevices(setting: string): Promise<ProbeResult> {
  if (!hasGpuAddon(NATIVE_DIRECTORY)) return { devices: [], problem: null };
  return probeDevices({
    program: path.join(REPOSITORY_ROOT, 'dist/server.js'),
    environment: process.env,
    triesAll: setting !== AUTOMATIC && setting !== PROCESSOR,
    signal: new AbortController().signal,
  });
}

/**
 * The device that gets the model; null for the processor, or the one GPU that a build for it knows.
 *
 * @throws Error for one that is named and cannot be used, in words
 */
export function deviceFor(modelPath: string, setting: string, { devices }: ProbeResult): GpuDevice | null {
  const choice = chooseDevices(setting, devices);
  switch (choice.kind) {
    case 'processor':
      return null;
    case 'missing':
      throw new Error(`there is no device "${setting}"`);
    case 'broken':
      throw new Error(`${choice.device.name} failed its trial`);
    case 'devices': {
      const isOfUse = choice.isWanted || isWorthDevice(statSync(modelPath).size);
      return isOfUse ? (choice.devices[0] ?? null) : null;
    }
  }
}
