import type { GpuDevice } from '../../../../../server/src/engine/devices/gpu-device.js';

export function gpuDevice(part: Partial<GpuDevice> = {}): GpuDevice {
  return {
    id: 'Vulkan0',
    name: 'Test GPU',
    driver: 'test 1.0',
    kind: 'discrete',
    totalBytes: 8 * 2 ** 30,
    freeBytes: 7 * 2 ** 30,
    trial: { kind: 'works', deviceMs: 1, cpuMs: 10 },
    ...part,
  };
}
