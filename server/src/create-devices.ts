import { join } from 'node:path';
import { DeviceList } from './engine/devices/device-list.js';
import { driverIdentity } from './engine/devices/driver-identity.js';
import { probeDevices } from './engine/devices/probe-devices.js';
import { hasGpuAddon } from './engine/load-addon.js';
import type { ServerOptions } from './server-options.js';
import { JsonFile } from './util/json-file.js';
import type { Log } from './util/log.js';

/** The GPUs of this machine, as far as this installation can use any. Looks for none before `discover`. */
export function createDevices(options: ServerOptions, log: Log): DeviceList {
  const { nativeDirectory, environment, program, stateDirectory } = options;
  return new DeviceList({
    file: new JsonFile(stateDirectory && join(stateDirectory, 'devices.json'), log),
    identity: hasGpuAddon(nativeDirectory) ? driverIdentity(nativeDirectory, environment) : null,
    probe: (signal) => probeDevices({ program, environment, signal }),
    log,
  });
}
