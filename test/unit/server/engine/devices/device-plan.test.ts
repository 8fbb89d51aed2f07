import { describe, expect, it, vi } from 'vitest';
import type { EngineErrorCode } from '../../../../../server/protocol/index.js';
import { DeviceFailures } from '../../../../../server/src/engine/devices/device-failures.js';
import { DevicePlanner } from '../../../../../server/src/engine/devices/device-plan.js';
import type { GpuDevice } from '../../../../../server/src/engine/devices/gpu-device.js';
import type { LoadRequest } from '../../../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import type { MemoryEstimate } from '../../../../../server/src/engine/port/memory-report.js';
import { type LoadPlan, optionsOf } from '../../../../../server/src/engine/port/plan-load.js';
import { estimateOf } from '../../models/planning/estimate-of.js';
import { SILENT } from '../../scripted-engine.js';
import { gpuDevice } from './gpu-device-fixture.js';

const GIB = 2 ** 30;
const REQUEST: LoadRequest = { path: '/model.gguf', deviceSetting: 'auto' };
const BIG = { deviceWeightsBytes: 8 * GIB, deviceCompletionBytes: GIB, layerCount: 40 };

interface Setup {
  readonly devices?: readonly GpuDevice[] | null;
  /** One for all devices, or for each by its id. */
  readonly estimate?: Partial<MemoryEstimate> | EngineError | Readonly<Record<string, Partial<MemoryEstimate>>>;
  readonly weightsBytes?: number | null;
  readonly held?: number;
  /** Needed on the device by the completion slot, if its context is longer than usual. */
  readonly longContextBytes?: number;
  readonly failures?: DeviceFailures;
  readonly refused?: (requested: LoadRequest) => boolean;
}

function planner({ devices = [gpuDevice()], estimate = {}, held = 0, ...setup }: Setup) {
  const { weightsBytes = GIB, failures = new DeviceFailures(), refused = () => false, longContextBytes = 0 } = setup;
  const plan = vi.fn(async (requested: LoadRequest): Promise<LoadPlan> => {
    if (!refused(requested)) return { kind: 'fits', options: optionsOf(requested) };
    return { kind: 'refused', error: { code: 'outOfMemory', message: requested.device ?? 'processor' } };
  });
  const places = new DevicePlanner({
    devices: () => devices,
    failures,
    estimateMemory: async ({ device = '', contextLength = 0 }) => {
      if (estimate instanceof EngineError) throw estimate;
      const own = Object.entries(estimate).find(([id]) => id === device)?.[1] ?? estimate;
      const long = contextLength > 8192 ? { deviceCompletionBytes: longContextBytes } : {};
      return { ...estimateOf(GIB, 1024, 1024), ...own, ...long };
    },
    weightsBytes: async () => weightsBytes,
    held: () => held,
    chats: false,
    log: SILENT,
  });
  return { around: places.around(plan), plan };
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

it('asks the device what is free there, whatever the probe found', async () => {
  const devices = [gpuDevice({ freeBytes: 24 * GIB, totalBytes: 24 * GIB })];
  expect(await placed({ devices, estimate: { ...BIG, deviceFreeBytes: 2 * GIB } })).toEqual({});
});

it('leaves small models to the processor, which answers sooner, unless the user names a device', async () => {
  const estimate = { deviceWeightsBytes: 33e6, deviceFreeBytes: 6 * GIB, layerCount: 12 };
  expect(await placed({ estimate, weightsBytes: 33e6 })).toEqual({});
  const request = { ...REQUEST, deviceSetting: '0' };
  expect(await placed({ estimate, weightsBytes: 33e6 }, request)).toMatchObject({ device: 'Vulkan0' });
});

it('puts a part of a larger model there, and counts what the present one gives back', async () => {
  expect(await placed({ estimate: { ...BIG, deviceFreeBytes: 7 * GIB } })).toMatchObject({ gpuLayers: 27 });
  expect(await placed({ estimate: { ...BIG, deviceFreeBytes: 7 * GIB }, held: 5 * GIB })).not.toHaveProperty(
    'gpuLayers',
  );
});

it('adds no memory for a device that shares the machine’s', async () => {
  const devices = [gpuDevice({ kind: 'integrated' })];
  const estimate = { deviceFreeBytes: 8 * GIB, layerCount: 10 };
  expect(await placed({ devices, estimate })).toEqual({ device: 'Vulkan0', deviceBytes: 0 });
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
  expect(await placed({}, { ...REQUEST, gpuLayers: 0 })).toEqual({ gpuLayers: 0 });
  const remote = { url: 'http://localhost', kind: 'auto', model: '' } as const;
  expect(await placed({}, { ...REQUEST, remote })).toEqual({ remote });
});

it.each([
  [
    'Radeon',
    {},
    'deviceUnknown',
    'inkling.engine.device is "Radeon", but the devices are 0: Test GPU. The processor is used.',
  ],
  [
    'Radeon ',
    { devices: [] },
    'deviceUnknown',
    'inkling.engine.device is "Radeon", but no GPU was found. The processor',
  ],
  [
    'Test',
    { devices: [gpuDevice(), gpuDevice({ id: 'Vulkan1' })] },
    'deviceUnknown',
    'fits several devices: 0: Test GPU, 1: Test',
  ],
  [
    '0',
    { devices: [gpuDevice({ trial: { kind: 'failed', reason: 'took too long' } })] },
    'deviceUnusable',
    'Test GPU failed',
  ],
  ['0', { estimate: { ...BIG, deviceFreeBytes: GIB } }, 'deviceUnusable', 'does not fit on Test GPU'],
])('says why the device %s is not used', async (deviceSetting, setup, code, message) => {
  const plan = await planner(setup).around({ ...REQUEST, deviceSetting });
  expect(plan).toMatchObject({
    kind: 'fits',
    options: { path: '/model.gguf' },
    drawback: { code, message: expect.stringContaining(message) },
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

describe('several devices', () => {
  const fast = gpuDevice({ id: 'Vulkan0', trial: { kind: 'works', deviceMs: 1, cpuMs: 40 } });
  const large = gpuDevice({ id: 'Vulkan1', trial: { kind: 'works', deviceMs: 5, cpuMs: 40 } });
  const shared = gpuDevice({ id: 'Vulkan2', kind: 'integrated', trial: { kind: 'works', deviceMs: 4, cpuMs: 40 } });
  const free = (gib: number) => ({ ...BIG, deviceFreeBytes: gib * GIB });

  it.each<[string, readonly GpuDevice[], Readonly<Record<string, Partial<MemoryEstimate>>>, Partial<LoadRequest>]>([
    ['the fastest that has room', [fast, large], { Vulkan0: free(24), Vulkan1: free(24) }, { device: 'Vulkan0' }],
    ['the whole rather than a part', [fast, large], { Vulkan0: free(7), Vulkan1: free(24) }, { device: 'Vulkan1' }],
    ['the larger part', [fast, large], { Vulkan0: free(7), Vulkan1: free(8) }, { device: 'Vulkan1', gpuLayers: 31 }],
    ['a part rather than shared memory', [fast, shared], { Vulkan0: free(7), Vulkan2: free(24) }, { gpuLayers: 27 }],
    ['shared memory rather than none', [fast, shared], { Vulkan0: free(2), Vulkan2: free(24) }, { device: 'Vulkan2' }],
  ])('have %s', async (_, devices, estimate, expected) => {
    const options = await placed({ devices, estimate });
    expect(options).toMatchObject(expected);
    if (!('gpuLayers' in expected)) expect(options).not.toHaveProperty('gpuLayers');
  });

  it('are all asked, and the best one says why nothing fits', async () => {
    const estimate = { Vulkan0: free(24), Vulkan1: free(24) };
    const { around, plan } = planner({ devices: [fast, large], estimate, refused: () => true });
    expect(await around(REQUEST)).toMatchObject({ kind: 'refused', error: { message: 'Vulkan0' } });
    expect(plan.mock.calls.map(([{ device }]) => device)).toEqual(['Vulkan0', 'Vulkan1', undefined]);
    const second = planner({ devices: [fast, large], estimate, refused: ({ device }) => device === 'Vulkan0' });
    expect(await second.around(REQUEST)).toMatchObject({ kind: 'fits', options: { device: 'Vulkan1' } });
  });
});

describe('a load that failed on the device', () => {
  const estimate = { deviceWeightsBytes: GIB, deviceFreeBytes: 6 * GIB, layerCount: 10 };
  const failed = (code: EngineErrorCode) => {
    const failures = new DeviceFailures();
    const isLoss = failures.note('/model.gguf', 'Vulkan0', { code, message: 'No buffer could be made.' });
    return { failures, isLoss };
  };

  it('is planned for the processor, and the plan says why', async () => {
    const { failures } = failed('outOfMemory');
    const plan = await planner({ estimate, failures }).around(REQUEST);
    expect(plan).toMatchObject({
      options: { path: '/model.gguf' },
      drawback: { code: 'deviceUnusable', message: expect.stringMatching(/onto Test GPU.*No buffer could be made\.$/) },
    });
    expect(plan).not.toHaveProperty('options.device');
    expect(await placed({ estimate, failures }, { ...REQUEST, path: '/other.gguf' })).toHaveProperty('device');
    expect(failures.forget()).toBe(true);
    expect(failures.forget()).toBe(false);
    expect(await placed({ estimate, failures })).toHaveProperty('device');
  });

  it.each<[EngineErrorCode, boolean, boolean]>([
    ['outOfMemory', true, false],
    ['loadFailed', true, false],
    ['deviceFailed', true, true],
    ['addonUnavailable', true, true],
    ['loadCancelled', false, false],
    ['unsupportedModel', false, false],
  ])('with %s is worth another plan: %s; the GPU is lost: %s', (code, isFresh, isLost) => {
    const { failures, isLoss } = failed(code);
    expect(isLoss).toBe(isLost);
    expect(failures.takeNew('/other.gguf')).toBe(false);
    expect(failures.takeNew('/model.gguf')).toBe(isFresh);
    expect(failures.takeNew('/model.gguf')).toBe(false);
  });
});
