import { describe, expect, it } from 'vitest';
import {
  addedBytes,
  chooseDevices,
  layersFor,
  usableBytes,
} from '../../../../../server/src/engine/devices/choose-device.js';
import type { GpuDevice, Trial } from '../../../../../server/src/engine/devices/gpu-device.js';
import { gpuDevice } from './gpu-device-fixture.js';

const GIB = 2 ** 30;
const FAST: Trial = { kind: 'works', deviceMs: 5, cpuMs: 40 };

const discrete = gpuDevice({ id: 'Vulkan1', name: 'NVIDIA GeForce RTX 3060', kind: 'discrete', trial: FAST });
const integrated = gpuDevice({
  id: 'Vulkan0',
  name: 'Intel Iris Xe',
  kind: 'integrated',
  trial: { ...FAST, deviceMs: 3 },
});
const software = gpuDevice({ id: 'Vulkan2', name: 'llvmpipe', kind: 'cpu', trial: { kind: 'untried' } });
const ALL = [integrated, discrete, software];

function ids(setting: string, devices: readonly GpuDevice[] = ALL): readonly string[] | string {
  const choice = chooseDevices(setting, devices);
  return choice.kind === 'devices' ? choice.devices.map(({ id }) => id) : choice.kind;
}

describe('auto', () => {
  it('takes devices with memory of their own first, and no driver that computes on the processor', () => {
    expect(ids('auto')).toEqual(['Vulkan1', 'Vulkan0']);
    expect(ids('', [software])).toBe('processor');
    expect(ids('auto', [])).toBe('processor');
  });

  it('takes only devices that work and are clearly faster than the processor', () => {
    const slow = { ...discrete, trial: { kind: 'works', deviceMs: 38, cpuMs: 40 } } as const;
    const broken = { ...discrete, trial: { kind: 'failed', reason: 'computes wrong results' } } as const;
    expect(ids('auto', [slow, broken])).toBe('processor');
    expect(ids('auto', [slow, integrated])).toEqual(['Vulkan0']);
  });
});

describe('a setting', () => {
  it.each([
    ['cpu', 'processor'],
    ['1', ['Vulkan1']],
    ['Vulkan2', ['Vulkan2']],
    ['nvidia geforce rtx 3060', ['Vulkan1']],
    [' 3060 ', ['Vulkan1']],
    ['llvmpipe', ['Vulkan2']],
    ['7', 'missing'],
    // A part of 3060.
    ['6', 'missing'],
    ['Radeon', 'missing'],
    // Two have it in their names.
    ['i', 'missing'],
  ])('%s chooses %s', (setting, expected) => {
    expect(ids(setting)).toEqual(expected);
  });

  it('does not choose a device that failed', () => {
    const broken = { ...discrete, trial: { kind: 'failed', reason: 'took too long' } } as const;
    expect(chooseDevices('3060', [broken])).toEqual({ kind: 'broken', device: broken });
  });
});

describe('the layers on a device', () => {
  const NEED = { deviceWeightsBytes: 8 * GIB, deviceCompletionBytes: GIB, deviceChatBytes: GIB, layerCount: 40 };

  it('are all of them where everything fits', () => {
    expect(layersFor(NEED, 10 * GIB, 'discrete', true)).toBe('all');
    expect(layersFor(NEED, 9 * GIB, 'integrated', false)).toBe('all');
  });

  it('are as many as fit, if that is at least half', () => {
    expect(layersFor(NEED, 7.5 * GIB, 'discrete', true)).toBe(29);
    expect(layersFor(NEED, 5 * GIB, 'discrete', true)).toBeNull();
  });

  it('are none on a device that shares the memory of the processor', () => {
    expect(layersFor(NEED, 7.5 * GIB, 'integrated', true)).toBeNull();
  });

  it('leave room for other programs', () => {
    expect(usableBytes(10 * GIB)).toBe(9 * GIB);
    expect(usableBytes(GIB)).toBe(0.75 * GIB);
    expect(usableBytes(1000)).toBe(0);
  });
});

describe('the memory that devices add for a model', () => {
  const added = (setting: string, neededBytes: number, devices = ALL) =>
    addedBytes(chooseDevices(setting, devices), neededBytes);

  it('is that of the largest one with memory of its own, if it could have the larger part', () => {
    expect(added('auto', 6 * GIB)).toBe(8 * GIB);
    expect(added('auto', 14 * GIB)).toBe(8 * GIB);
    expect(added('auto', 15 * GIB)).toBe(0);
    const second = gpuDevice({ id: 'Vulkan3', totalBytes: 24 * GIB, trial: FAST });
    expect(added('auto', 15 * GIB, [...ALL, second])).toBe(24 * GIB);
  });

  it('is nothing where the processor has the model', () => {
    expect(added('cpu', GIB)).toBe(0);
    expect(added('Iris', GIB)).toBe(0);
    expect(added('Radeon', GIB)).toBe(0);
  });
});
