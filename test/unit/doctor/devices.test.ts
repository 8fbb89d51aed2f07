import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { GpuDevice } from '../../../server/src/engine/devices/gpu-device.js';
import { deviceFor } from '../../doctor/devices.js';
import {
  describeDeviceMemory,
  describeDevices,
  describeFit,
  describeMachine,
  withoutHome,
} from '../../doctor/report.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';
import { gpuDevice } from '../server/engine/devices/gpu-device-fixture.js';
import { estimateOf } from '../server/models/planning/estimate-of.js';

const folder = new TemporaryFolder();
const model = folder.file('small.gguf');

beforeAll(() => writeFileSync(model, 'small'));
afterAll(() => folder.dispose());

const found = (...devices: readonly GpuDevice[]) => ({ devices, problem: null });

describe('the device that gets the model', () => {
  it('is the one that is named, or the processor for a small model', () => {
    const two = found(gpuDevice(), gpuDevice({ id: 'Vulkan1', name: 'Other GPU' }));
    expect(deviceFor(model, '1', two)?.id).toBe('Vulkan1');
    expect(deviceFor(model, 'Other', two)?.id).toBe('Vulkan1');
    expect(deviceFor(model, 'auto', two)).toBeNull();
    expect(deviceFor(model, 'cpu', two)).toBeNull();
  });

  it('is refused in words where it cannot be used', () => {
    const broken = gpuDevice({ trial: { kind: 'failed', reason: 'took too long' } });
    expect(() => deviceFor(model, 'Voodoo', found())).toThrow('there is no device "Voodoo"');
    expect(() => deviceFor(model, '0', found(broken))).toThrow('Test GPU failed its trial');
  });
});

describe('the report', () => {
  it('has each device with its driver, its memory and what came of its trial', () => {
    const failed = gpuDevice({ id: 'Vulkan1', kind: 'integrated', trial: { kind: 'failed', reason: 'took too long' } });
    const { lines } = describeDevices({ devices: [gpuDevice(), failed], problem: 'ended with 1' }, 'vulkan');
    expect(lines).toEqual([
      ['Vulkan0', expect.stringMatching(/^Test GPU \(discrete, test 1\.0\), 8\.6 GB, .*: 1\.0 ms for .* 10\.0 ms$/)],
      ['Vulkan1', expect.stringMatching(/integrated.*: took too long$/)],
      ['the probe', 'ended with 1'],
    ]);
  });

  it.each([
    ['vulkan', /no driver of Vulkan/],
    ['none', /no Vulkan flavour/],
    ['engine', /"Memory of devices"/],
  ] as const)('says why there is no device: %s', (lister, reason) => {
    expect(describeDevices(found(), lister).lines).toEqual([['GPUs', expect.stringMatching(reason)]]);
  });

  it('names no user: a home folder is cut from whatever is printed', () => {
    expect(withoutHome('no /home/erika/a.gguf, no /home/erika/b', '/home/erika')).toBe('no ~/a.gguf, no ~/b');
    expect(withoutHome('/models/a.gguf', '/')).toBe('/models/a.gguf');
  });

  it('counts the memory of the container that it runs in, as the server does', () => {
    const constrained = vi.spyOn(process, 'constrainedMemory').mockReturnValue(2e9);
    try {
      const estimate = { ...estimateOf(3e9, 1024, 1024), deviceFreeBytes: 0 } as Parameters<typeof describeFit>[0];
      expect(describeFit(estimate, null).lines[1]?.[1]).toBe('1.7 GB of 2.0 GB: it does not fit');
      expect(describeMachine().lines.at(-1)?.[1]).toMatch(/^2\.0 GB, /);
    } finally {
      constrained.mockRestore();
    }
  });

  it('counts what a device adds', () => {
    const estimate = { ...estimateOf(1e9, 1024, 1024), deviceFreeBytes: 7.5e9 } as Parameters<typeof describeFit>[0];
    const budgetOf = (device: GpuDevice | null) => describeFit(estimate, device).lines[1]?.[1];
    expect(budgetOf(gpuDevice())).toContain('and 7.5 GB on Test GPU');
    expect(budgetOf(gpuDevice({ kind: 'integrated' }))).not.toContain('Test GPU');
    expect(budgetOf(null)).not.toContain('7.5 GB');
  });

  it('says what the memory of Metal’s device is', () => {
    const device = { totalBytes: 12e9, freeBytes: 12e9, weightsBytes: 1e9, contextBytes: 0, computeBytes: 0 };
    const memory = { devices: ['CPU', 'MTL0'].map((name) => ({ ...device, name })) };
    const linesOf = (backend: string) =>
      describeDeviceMemory(memory as unknown as Parameters<typeof describeDeviceMemory>[0], backend).lines;
    expect(linesOf('Metal')).toEqual([
      // ggml calls all of the machine's memory free.
      ['CPU', 'holds 1000.0 MB'],
      ['MTL0', expect.stringMatching(/^working set 12\.0 GB, 12\.0 GB free; holds 1000\.0 MB$/)],
    ]);
    expect(linesOf('Vulkan')[1]?.[1]).toMatch(/^12\.0 GB/);
  });
});
