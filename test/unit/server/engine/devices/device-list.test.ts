import { expect, it, vi } from 'vitest';
import { DeviceList } from '../../../../../server/src/engine/devices/device-list.js';
import { parseDevices } from '../../../../../server/src/engine/devices/gpu-device.js';
import { SILENT } from '../../scripted-engine.js';
import { gpuDevice } from './gpu-device-fixture.js';

const DEVICE = gpuDevice();

/** A list over a file in memory. */
function list(stored: unknown, identity: string | null = 'drivers 1') {
  const file = { read: () => stored, write: vi.fn() };
  const probe = vi.fn(async () => ({ devices: [DEVICE], problem: null }));
  return { devices: new DeviceList({ file, identity, probe, log: SILENT }), file, probe };
}

it('probes once, tells of it and keeps the result', async () => {
  const { devices, file, probe } = list(null);
  expect(devices.devices).toBeNull();
  const found = vi.fn();
  await Promise.all([devices.discover(found), devices.discover(found)]);
  expect(devices.devices).toEqual([DEVICE]);
  expect(found).toHaveBeenCalledTimes(1);
  expect(probe).toHaveBeenCalledTimes(1);
  expect(file.write).toHaveBeenCalledWith({ identity: 'drivers 1', devices: [DEVICE] });
});

it('takes what an earlier process found with the same drivers', async () => {
  const { devices, probe } = list({ identity: 'drivers 1', devices: [DEVICE] });
  expect(devices.devices).toEqual([DEVICE]);
  await devices.discover(() => expect.unreachable());
  expect(probe).not.toHaveBeenCalled();
});

it.each([
  ['of other drivers', { identity: 'drivers 0', devices: [DEVICE] }],
  ['that is damaged', { identity: 'drivers 1', devices: [{ ...DEVICE, totalBytes: -1 }] }],
  ['that is no result', [1]],
])('probes again after a result %s', (_, stored) => {
  expect(list(stored).devices.devices).toBeNull();
});

it('probes again when the user wants to try again', async () => {
  const { devices, probe } = list({ identity: 'drivers 1', devices: [] });
  devices.forget();
  await devices.discover(() => undefined);
  expect(probe).toHaveBeenCalledTimes(1);
});

it('looks for nothing where there is no flavour for GPUs', async () => {
  const { devices, probe } = list(null, null);
  expect(devices.devices).toEqual([]);
  devices.forget();
  await devices.discover(() => expect.unreachable());
  expect(probe).not.toHaveBeenCalled();
});

it('says nothing once it is disposed', async () => {
  const { devices, file } = list(null);
  const discovered = devices.discover(() => expect.unreachable());
  devices.dispose();
  await discovered;
  expect(file.write).not.toHaveBeenCalled();
});

it('accepts only whole lists of devices', () => {
  expect(parseDevices([DEVICE, gpuDevice({ kind: 'cpu', trial: { kind: 'untried' } })])).toHaveLength(2);
  for (const value of [null, {}, [null], [{ ...DEVICE, kind: 'fast' }], [{ ...DEVICE, name: 'x'.repeat(2_000) }]]) {
    expect(parseDevices(value)).toBeNull();
  }
  expect(parseDevices([{ ...DEVICE, trial: { kind: 'works', deviceMs: 'no', cpuMs: 1 } }])).toBeNull();
  expect(parseDevices(Array.from({ length: 100 }, () => DEVICE))).toBeNull();
});
