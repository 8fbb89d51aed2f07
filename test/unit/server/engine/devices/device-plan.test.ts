import { expect, it, vi } from 'vitest';
import { onDevices } from '../../../../../server/src/engine/devices/device-plan.js';
import type { GpuDevice } from '../../../../../server/src/engine/devices/gpu-device.js';
import type { LoadRequest } from '../../../../../server/src/engine/engine.js';
import { EngineError } from '../../../../../server/src/engine/engine-error.js';
import type { MemoryEstimate } from '../../../../../server/src/engine/memory-report.js';
import { type LoadPlan, optionsOf, type PlanLoad } from '../../../../../server/src/engine/plan-load.js';
import { estimateOf } from '../../models/estimate-of.js';
import { SILENT } from '../../scripted-engine.js';
import { gpuDevice } from './gpu-device-fixture.js';

const GIB = 2 ** 30;
const REQUEST: LoadRequest = { path: '/model.gguf', deviceSetting: 'auto' };
const BIG = { deviceWeightsBytes: 8 * GIB, deviceCompletionBytes: GIB, layerCount: 40 };

interface Setup {
  readonly devices?: readonly GpuDevice[] | null;
  readonly estimate?: Partial<MemoryEstimate> | EngineError;
  readonly mostBytes?: number | null;
  readonly held?: number;
  /** Needed on the device by the completion slot, if its context is longer than usual. */
  readonly longContextBytes?: number;
}

function planner({ devices = [gpuDevice()], estimate = {}, mostBytes = null, held = 0, longContextBytes = 0 }: Setup) {
  const plan = vi.fn(
    async (requested: LoadRequest): Promise<LoadPlan> => ({ kind: 'fits', options: optionsOf(requested) }),
  );
  const around: PlanLoad = onDevices(plan, {
    devices: () => devices,
    estimateMemory: async ({ contextLength = 0 }) => {
      if (estimate instanceof EngineError) throw estimate;
      const long = contextLength > 8192 ? { deviceCompletionBytes: longContextBytes } : {};
      return { ...estimateOf(GIB, 1024, 1024), ...estimate, ...long };
    },
    mostBytes: async () => mostBytes,
    held: () => held,
    chats: false,
    log: SILENT,
  });
  return { around, plan };
}

async function placed(setup: Setup, request = REQUEST): Promise<Partial<LoadRequest>> {
  const { around, plan } = planner(setup);
  await around(request);
  const { path: _, deviceSetting: __, ...rest } = plan.mock.lastCall?.[0] ?? REQUEST;
  return rest;
}

it('puts a model that fits onto the device, with the memory that it has besides', async () => {
  const estimate = { deviceWeightsBytes: GIB, deviceFreeBytes: 6 * GIB, layerCount: 10 };
  expect(await placed({ estimate })).toEqual({ device: 'Vulkan0', deviceBytes: 6 * GIB });
});

it('needs no estimate where there is ample room', async () => {
  const estimate = new EngineError('internal', 'not asked');
  expect(await placed({ estimate, mostBytes: GIB })).toEqual({ device: 'Vulkan0', deviceBytes: 7 * GIB });
});

it('puts a part of a larger model there, and counts what the present one gives back', async () => {
  expect(await placed({ estimate: { ...BIG, deviceFreeBytes: 7 * GIB } })).toMatchObject({ gpuLayers: 27 });
  expect(await placed({ estimate: { ...BIG, deviceFreeBytes: 7 * GIB }, held: 5 * GIB })).not.toHaveProperty(
    'gpuLayers',
  );
});

it('adds no memory for a device that shares the machine’s', async () => {
  const devices = [gpuDevice({ kind: 'integrated' })];
  expect(await placed({ devices, mostBytes: GIB })).toEqual({ device: 'Vulkan0', deviceBytes: 0 });
});

it.each([
  ['a device is too small', { estimate: { ...BIG, deviceFreeBytes: 2 * GIB } }],
  ['the estimate fails', { estimate: new EngineError('loadFailed', 'the driver ended the process') }],
  ['no devices are known yet', { devices: null }],
  ['there is none', { devices: [] }],
])('uses the processor where %s', async (_, setup) => {
  expect(await placed(setup)).toEqual({});
});

it('leaves GPUs alone where they were given up, and where another machine has the model', async () => {
  expect(await placed({ mostBytes: 1 }, { ...REQUEST, gpuLayers: 0 })).toEqual({ gpuLayers: 0 });
  const remote = { url: 'http://localhost', kind: 'auto', model: '' } as const;
  expect(await placed({ mostBytes: 1 }, { ...REQUEST, remote })).toEqual({ remote });
});

it.each([
  ['Radeon', {}, 'which has 0: Test GPU'],
  ['Radeon', { devices: [] }, 'no GPU was found'],
  ['0', { devices: [gpuDevice({ trial: { kind: 'failed', reason: 'took too long' } })] }, 'Test GPU failed'],
  ['0', { estimate: { ...BIG, deviceFreeBytes: GIB } }, 'does not fit on Test GPU'],
])('says why the device %s is not used', async (deviceSetting, setup, message) => {
  const plan = await planner(setup).around({ ...REQUEST, deviceSetting });
  expect(plan).toMatchObject({
    kind: 'fits',
    options: { path: '/model.gguf' },
    drawback: { code: 'deviceUnusable', message: expect.stringContaining(message) },
  });
});

it('a context for long prompts costs no layer', async () => {
  const estimate = {
    deviceWeightsBytes: 4 * GIB,
    deviceCompletionBytes: GIB,
    deviceFreeBytes: 7 * GIB,
    layerCount: 40,
  };
  const request = { ...REQUEST, suggestionTokens: 16_896 };
  expect(await placed({ estimate, longContextBytes: 2 * GIB }, request)).toMatchObject({ suggestionTokens: 16_896 });
  const short = { suggestionTokens: 8192 };
  expect(await placed({ estimate, longContextBytes: 4 * GIB }, request)).toMatchObject(short);
  expect(await placed({ estimate: { ...estimate, ...BIG } }, request)).toMatchObject(short);
  const shared = [gpuDevice({ kind: 'integrated' })];
  expect(await placed({ devices: shared, estimate, longContextBytes: 4 * GIB }, request)).toMatchObject(short);
  // Lengths that the user chose are kept.
  const own = { ...request, contextLength: 16_384 };
  expect(await placed({ estimate, longContextBytes: 4 * GIB }, own)).toMatchObject({ suggestionTokens: 16_896 });
});
