import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { driverIdentity, machineStart } from '../../../../../server/src/engine/devices/driver-identity.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
  write('native/inkling-vulkan.node');
  write('data/vulkan/icd.d/radeon.json');
  write('drivers/nvidia.json');
});
afterEach(() => folder.dispose());

function write(name: string, text = 'first'): void {
  mkdirSync(dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), text);
}

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  XDG_DATA_HOME: folder.file('data'),
  VK_ADD_DRIVER_FILES: folder.file('drivers/nvidia.json'),
  ...more,
});

const identity = (more: NodeJS.ProcessEnv = {}) => driverIdentity(folder.file('native'), environment(more));

it('stays the same while nothing changes', () => {
  expect(identity()).toBe(identity());
  expect(identity({ PATH: '/somewhere/else' })).toBe(identity());
  expect(machineStart()).toBe(machineStart());
  expect(machineStart()).not.toBe('');
});

it.each<[string, () => NodeJS.ProcessEnv | undefined]>([
  ['the flavour for GPUs', () => void write('native/inkling-vulkan.node', 'another')],
  ['the time of a driver', () => void utimesSync(folder.file('data/vulkan/icd.d/radeon.json'), 7, 7)],
  ['a new driver', () => void write('data/vulkan/icd.d/intel.json')],
  ['a driver that is gone', () => void rmSync(folder.file('data/vulkan/icd.d/radeon.json'))],
  ['a driver that the user names', () => void renameSync(folder.file('drivers/nvidia.json'), folder.file('gone.json'))],
  ['the choice of a device', () => ({ MESA_VK_DEVICE_SELECT: '10de:2504' })],
])('changes with %s', (_name, change) => {
  const before = identity();
  expect(identity(change() ?? {})).not.toBe(before);
});

it.runIf(process.platform === 'linux')('names what the kernel shows of GPUs', () => {
  for (const place of ['/dev/dri', '/proc/driver/nvidia/gpus']) expect(identity()).toContain(place);
});
