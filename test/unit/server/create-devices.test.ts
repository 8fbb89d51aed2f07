import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../server/protocol/index.js';
import { Devices } from '../../../server/src/create-devices.js';
import { DeviceList } from '../../../server/src/engine/devices/device-list.js';
import type { GpuDevice } from '../../../server/src/engine/devices/gpu-device.js';
import { GpuLosses } from '../../../server/src/engine/devices/gpu-losses.js';
import { createEngineHost, type EngineHost } from '../../../server/src/engine/lifecycle/engine-host.js';
import type { LoadOptions, LoadRequest } from '../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../server/src/engine/port/engine-error.js';
import { AS_REQUESTED } from '../../../server/src/engine/port/plan-load.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';
import { gpuDevice } from './engine/devices/gpu-device-fixture.js';
import { estimateOf } from './models/planning/estimate-of.js';
import { FACTS, ScriptedEngine, SILENT } from './scripted-engine.js';

const GIB = 2 ** 30;
const never = new AbortController().signal;

let folder: TemporaryFolder;
let now: number;
/** What the machine shows now. */
let devices: readonly GpuDevice[];
/** Why loads onto a device fail; null where they do not. */
let failure: EngineError | null;
const lost = vi.fn();

beforeEach(() => {
  folder = new TemporaryFolder();
  now = 1_000;
  devices = [gpuDevice()];
  failure = null;
  lost.mockClear();
});
afterEach(() => folder.dispose());

/** An engine whose load onto a device fails as the test says. */
class DeviceEngine extends ScriptedEngine {
  readonly #devices: Devices;

  constructor(parts: Devices) {
    super();
    this.#devices = parts;
  }

  override async load(options: LoadOptions) {
    const { device } = options;
    if (device === undefined) return { ...FACTS, path: options.path };
    return this.#devices.duringLoad(device)(options.path, async () => {
      now += 1_000;
      if (failure !== null) throw failure;
      return { ...FACTS, path: options.path, backend: 'Vulkan' };
    });
  }
}

const placesOf = (parts: Devices) =>
  parts.planner({
    estimateMemory: async () => ({ ...estimateOf(GIB, 1024, 1024), deviceFreeBytes: 6 * GIB, layerCount: 10 }),
    weightsBytes: async () => GIB,
    held: () => 0,
    chats: false,
  });

/** As a server starts: with what an earlier one has found and lost. */
function start(unifiedMemory = false): { parts: Devices; host: EngineHost } {
  const list = new DeviceList({
    file: { read: () => ({ identity: 'drivers', devices, onlyFor: null }), write: () => undefined },
    identity: 'drivers',
    machineStart: 'now',
    probe: async () => ({ devices, problem: null }),
    log: SILENT,
  });
  const losses = new GpuLosses({ stateDirectory: folder.file('state'), log: SILENT, now: () => now });
  const parts = new Devices(list, losses, unifiedMemory, SILENT, lost);
  const host = createEngineHost(
    () => new DeviceEngine(parts),
    SILENT,
    parts.unlessGivenUp(placesOf(parts).around(AS_REQUESTED)),
    undefined,
    (requested) => (parts.takeNewFailure(requested) ? requested : null),
  );
  parts.follow(host);
  return { parts, host };
}

async function load(host: EngineHost, deviceSetting = 'auto') {
  host.lifecycle.want({ path: '/model.gguf', deviceSetting });
  await host.lifecycle.settled(never);
  const { state } = host.lifecycle;
  const { facts } = host.client;
  return {
    backend: facts?.kind === 'local' ? facts.backend : null,
    problem: state.kind === 'error' ? state.error.code : null,
  };
}

it.each([
  [false, { backend: 'CPU', problem: 'deviceUnknown' }],
  [true, { backend: 'CPU', problem: null }],
])(
  "says that a setting names no device, unless the machine's one GPU is used whatever it says: %s",
  async (unified, result) => {
    const { host } = start(unified);
    expect(await load(host, 'Radeon')).toEqual(result);
  },
);

describe('a load that fails on the GPU', () => {
  it.each(['outOfMemory', 'loadFailed', 'deviceFailed', 'addonUnavailable'] as const)(
    'with %s is made on the processor, and the status says so',
    async (code) => {
      failure = new EngineError(code, 'no');
      const { host } = start();
      expect(await load(host)).toEqual({ backend: 'CPU', problem: 'deviceUnusable' });
      expect(host.lifecycle.state).toMatchObject({ error: { message: expect.stringMatching(/Test GPU.* no$/) } });
    },
  );

  it('is not made again where something else is wrong', async () => {
    failure = new EngineError('unsupportedModel', 'no');
    expect(await load(start().host)).toEqual({ backend: null, problem: 'unsupportedModel' });
  });

  it('is made on the GPU once the user tries again', async () => {
    failure = new EngineError('outOfMemory', 'another program has the memory');
    const { parts, host } = start();
    await load(host);
    failure = null;
    const changes: boolean[] = [];
    parts.tryAgain(DEFAULT_SETTINGS, (hasChanged) => changes.push(hasChanged));
    await expect.poll(() => changes).toEqual([true]);
    host.lifecycle.planAgain();
    expect(await load(host)).toEqual({ backend: 'Vulkan', problem: null });
    parts.tryAgain(DEFAULT_SETTINGS, (hasChanged) => changes.push(hasChanged));
    await expect.poll(() => changes).toEqual([true, false]);
  });

  it('gives the GPU up where it fails in one process after the other, but not where its memory is short', async () => {
    failure = new EngineError('outOfMemory', 'no');
    for (let count = 0; count < 3; count += 1)
      expect(await load(start().host)).toMatchObject({ problem: 'deviceUnusable' });
    failure = new EngineError('deviceFailed', 'no');
    expect(await load(start().host)).toMatchObject({ problem: 'deviceUnusable' });
    expect(await load(start().host)).toMatchObject({ problem: 'gpuGivenUp' });
    failure = null;
    const { parts, host } = start();
    expect(await load(host)).toEqual({ backend: 'CPU', problem: 'gpuGivenUp' });
    expect(parts.addedBytes({ path: '/model.gguf' }, GIB)).toBe(0);
    // Nor is it asked for a model that the user may choose.
    const attempt = vi.fn(async ({ device }: LoadRequest) => device);
    expect((await placesOf(parts).place({ path: '/model.gguf' }, attempt, () => true)).result).toBeUndefined();

    // The processor's answers say nothing of the GPU.
    await host.client.generate({ prompt: ['p'], maxTokens: 1 }, () => undefined, never);
    expect(await load(start().host)).toMatchObject({ problem: 'gpuGivenUp' });
    const decided = vi.fn();
    parts.tryAgain(DEFAULT_SETTINGS, decided);
    await expect.poll(() => decided.mock.calls).toEqual([[true]]);
    host.lifecycle.planAgain();
    expect(await load(host)).toEqual({ backend: 'Vulkan', problem: null });
    expect(parts.addedBytes({ path: '/model.gguf' }, GIB)).toBe(8 * GIB);
  });
});

it('counts only answers of the GPU as a sign that it works', async () => {
  const loseAfterAnswerOf = async (setting: 'auto' | 'cpu') => {
    const { parts, host } = start();
    host.lifecycle.want({ path: '/model.gguf', deviceSetting: setting });
    await host.lifecycle.settled(never);
    await host.client.generate({ prompt: ['p'], maxTokens: 1 }, () => undefined, never);
    parts.lost();
  };
  await loseAfterAnswerOf('auto');
  await loseAfterAnswerOf('auto');
  expect(await load(start().host)).toEqual({ backend: 'Vulkan', problem: null });
  await loseAfterAnswerOf('cpu');
  expect(await load(start().host)).toEqual({ backend: 'CPU', problem: 'gpuGivenUp' });
});

it('ends the process once where the GPU is lost to it', () => {
  const { parts } = start();
  parts.lost();
  parts.lost();
  expect(lost).toHaveBeenCalledTimes(1);
});

it('knows which devices have memory of their own', () => {
  devices = [gpuDevice(), gpuDevice({ id: 'Vulkan1', kind: 'integrated' })];
  const { parts } = start();
  expect(['Vulkan0', 'Vulkan1'].map(parts.hasOwnMemory)).toEqual([true, false]);
  // A build for one kind of GPU has no list: CUDA's have memory, Metal's share it.
  expect(parts.hasOwnMemory('CUDA0')).toBe(true);
});
