import { describe, expect, it, vi } from 'vitest';
import { DeviceList } from '../../../../../server/src/engine/devices/device-list.js';
import { parseDevices } from '../../../../../server/src/engine/devices/gpu-device.js';
import type { ProbeResult } from '../../../../../server/src/engine/devices/probe-devices.js';
import { SILENT } from '../../scripted-engine.js';
import { gpuDevice } from './gpu-device-fixture.js';

const DEVICE = gpuDevice();
const FOUND: ProbeResult = { devices: [DEVICE], problem: null };

/** A list over a file in memory. */
function list(stored: unknown, identity: string | null = 'drivers 1', found: ProbeResult = FOUND) {
  const file = { read: () => stored, write: vi.fn() };
  const probe = vi.fn(async () => found);
  const devices = new DeviceList({ file, identity, machineStart: 'start 1', probe, log: SILENT });
  return { devices, file, probe };
}

it('probes once, tells of it and keeps the result', async () => {
  const { devices, file, probe } = list(null);
  expect(devices.devices).toBeNull();
  const found = vi.fn();
  await Promise.all([devices.discover(found), devices.discover(found)]);
  expect(devices.devices).toEqual([DEVICE]);
  expect(found).toHaveBeenCalledTimes(1);
  expect(probe).toHaveBeenCalledTimes(1);
  expect(file.write).toHaveBeenCalledWith({ identity: 'drivers 1', devices: [DEVICE], onlyFor: null });
});

it('takes what an earlier process found with the same drivers', async () => {
  const { devices, probe } = list({ identity: 'drivers 1', devices: [DEVICE], onlyFor: null });
  expect(devices.devices).toEqual([DEVICE]);
  await devices.discover(() => expect.unreachable());
  expect(probe).not.toHaveBeenCalled();
});

it.each([
  ['of other drivers', { identity: 'drivers 0', devices: [DEVICE], onlyFor: null }],
  ['that is damaged', { identity: 'drivers 1', devices: [{ ...DEVICE, totalBytes: -1 }], onlyFor: null }],
  ['that is no result', [1]],
  ['that failed before the machine restarted', { identity: 'drivers 1', devices: [], onlyFor: 'start 0' }],
  ['of an older version', { identity: 'drivers 1', devices: [DEVICE] }],
])('probes again after a result %s', (_, stored) => {
  expect(list(stored).devices.devices).toBeNull();
});

it.each<[string, ProbeResult]>([
  ['no driver answered', { devices: [], problem: 'took too long' }],
  ['a device failed', { devices: [gpuDevice({ trial: { kind: 'failed', reason: 'took too long' } })], problem: null }],
])('keeps what it found only until the machine restarts where %s', async (_, found) => {
  const { devices, file } = list(null, 'drivers 1', found);
  await devices.discover(() => undefined);
  expect(file.write).toHaveBeenCalledWith({ identity: 'drivers 1', devices: found.devices, onlyFor: 'start 1' });
  const [stored] = file.write.mock.lastCall ?? [];
  expect(list(stored).devices.devices).toEqual(found.devices);
});

describe('when the user wants to try again', () => {
  const tryAgain = async ({ devices }: ReturnType<typeof list>) => {
    const found = vi.fn();
    await devices.discoverAgain(found);
    return found.mock.calls;
  };

  it('probes again, and uses what is known until then', async () => {
    const again = list({ identity: 'drivers 1', devices: [DEVICE], onlyFor: null });
    const tried = tryAgain(again);
    expect(again.devices.devices).toEqual([DEVICE]);
    expect(await tried).toEqual([[false]]);
    expect(again.probe).toHaveBeenCalledTimes(1);
  });

  it('says whether other devices can be used than before', async () => {
    const slower = gpuDevice({ freeBytes: 1, trial: { kind: 'works', deviceMs: 2, cpuMs: 10 } });
    expect(await tryAgain(list({ identity: 'drivers 1', devices: [slower], onlyFor: null }))).toEqual([[false]]);
    const failed = gpuDevice({ trial: { kind: 'failed', reason: 'was not tried' } });
    expect(await tryAgain(list({ identity: 'drivers 1', devices: [failed], onlyFor: 'start 1' }))).toEqual([[true]]);
    expect(await tryAgain(list({ identity: 'drivers 1', devices: [], onlyFor: null }))).toEqual([[true]]);
  });

  it('joins a probe that is under way', async () => {
    const first = list(null);
    const discovered = first.devices.discover(() => undefined);
    expect(await tryAgain(first)).toEqual([[true]]);
    await discovered;
    expect(first.probe).toHaveBeenCalledTimes(1);
  });
});

it('looks for nothing where there is no flavour for GPUs', async () => {
  const { devices, probe } = list(null, null);
  expect(devices.devices).toEqual([]);
  await devices.discover(() => expect.unreachable());
  const found = vi.fn();
  await devices.discoverAgain(found);
  expect(found).toHaveBeenCalledWith(false);
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
