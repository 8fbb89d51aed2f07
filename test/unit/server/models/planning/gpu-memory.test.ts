import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addedBytes, chooseDevices } from '../../../../../server/src/engine/devices/choose-device.js';
import { DevicePlanner } from '../../../../../server/src/engine/devices/device-plan.js';
import type { GpuDevice } from '../../../../../server/src/engine/devices/gpu-device.js';
import type { EstimateMemory } from '../../../../../server/src/engine/port/engine.js';
import { ModelLibrary } from '../../../../../server/src/models/model-library.js';
import { LoadPlanner } from '../../../../../server/src/models/planning/load-planner.js';
import { tinyGguf } from '../../../../support/models/tiny-gguf.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { gpuDevice } from '../../engine/devices/gpu-device-fixture.js';
import { SILENT } from '../../scripted-engine.js';
import { estimateOf } from './estimate-of.js';

const MACHINE_BYTES = 16e9;
const never = new AbortController().signal;
const folder = new TemporaryFolder();
const store = folder.file('store');
const starter = folder.file('starter.gguf');

beforeAll(() => {
  mkdirSync(store);
  writeFileSync(starter, tinyGguf({}));
});
afterAll(() => folder.dispose());

/** A file of so many gigabytes that takes no room on the disk. */
function write(name: string, gigabytes: number): string {
  const file = folder.file(name);
  const rows = Math.round((gigabytes * 1e9) / 4 / 1024);
  writeFileSync(file, tinyGguf({ tensors: [{ name: 'large.weight', shape: [1024, rows] }], dataBytes: 64 }));
  truncateSync(file, gigabytes * 1e9 + 1e6);
  return file;
}

describe('a GPU with memory of its own', () => {
  const CARD = gpuDevice({ totalBytes: 24e9, freeBytes: 24e9 });

  /** On a machine with 16 GB, and with so much free on a card of 24 GB. */
  function withCard(modelBytes: number, freeBytes: number, devices: readonly GpuDevice[] = [CARD]): ModelLibrary {
    const estimateMemory: EstimateMemory = async (options) => {
      const bytes = options.path === starter ? 1e8 : modelBytes;
      const estimate = estimateOf(bytes, options.contextLength ?? 0, options.chatContextLength ?? 0);
      if (options.device === undefined) return { ...estimate, availableBytes: 14e9 };
      const device = { deviceWeightsBytes: bytes, layerCount: 40, deviceFreeBytes: freeBytes };
      return { ...estimate, ...device, availableBytes: 14e9 + freeBytes };
    };
    const planner = new LoadPlanner({
      estimateMemory,
      examined: { has: async () => true, add: async () => undefined },
      starterModelPath: starter,
      machineBytes: MACHINE_BYTES,
      unifiedMemory: false,
      held: () => ({ besidesBytes: 1e8, freedBytes: 0 }),
      availableBytes: () => 14e9,
      slots: 2,
    });
    const devicePlanner = new DevicePlanner({
      devices: () => devices,
      failures: { of: () => null },
      estimateMemory,
      weightsBytes: async () => modelBytes,
      held: () => 0,
      chats: true,
      log: SILENT,
    });
    const surroundings = { platform: 'linux', home: folder.file('home'), environment: {} } as const;
    return new ModelLibrary({
      starterModelPath: starter,
      machine: { surroundings, memoryBytes: MACHINE_BYTES, unifiedMemory: false, threads: 2 },
      backend: () => 'CPU',
      usedThreads: () => null,
      isIntegrated: () => false,
      planner,
      places: {
        place: (requested, attempt, fits) => devicePlanner.place(requested, attempt, fits),
        addedBytes: (_requested, neededBytes) => addedBytes(chooseDevices('auto', devices), neededBytes),
      },
      decodeSpeeds: { byFile: () => new Map() },
      prefillSpeeds: { byFile: () => new Map() },
      loadRequest: () => ({ path: starter, contextLength: 4096 }),
    });
  }

  const listed = async (models: ModelLibrary, file: string) =>
    (await models.list(store, never)).offers.find(({ id }) => id === file);

  it('lets a model load that the machine alone could not hold', async () => {
    const file = write('store/large.gguf', 19);
    const models = withCard(19e9, 23e9);
    expect(await models.plan({ path: file, contextLength: 4096, device: 'Vulkan0', deviceBytes: 23e9 })).toMatchObject({
      kind: 'fits',
      options: { device: 'Vulkan0' },
    });
    expect(await models.check(file, store, never)).toMatchObject({ kind: 'usable', offer: { fit: 'comfortable' } });
    expect(await listed(models, file)).toMatchObject({ fit: 'comfortable', refusal: null });
    const without = withCard(19e9, 23e9, []);
    expect(await without.check(file, store, never)).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    expect(await listed(without, file)).toMatchObject({ fit: 'tooLarge' });
  });

  it('counts in the list for what is not here yet', async () => {
    const entriesThatFit = async (models: ModelLibrary) =>
      (await models.list(store, never)).offers.filter(({ path, fit }) => path === null && fit !== 'tooLarge').length;
    expect(await entriesThatFit(withCard(1e9, 23e9))).toBeGreaterThan(await entriesThatFit(withCard(1e9, 23e9, [])));
    const file = write('part.gguf', 19);
    truncateSync(file, 1e6);
    expect(await withCard(1e9, 23e9).check(file, null, never, { partial: true })).toMatchObject({ kind: 'usable' });
    expect(await withCard(1e9, 23e9, []).check(file, null, never, { partial: true })).toMatchObject({
      kind: 'refused',
    });
  });

  it('helps only as far as its memory is free now, and as it could have the larger part', async () => {
    const file = write('store/large.gguf', 19);
    const check = await withCard(19e9, 4e9).check(file, store, never);
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    const small = withCard(19e9, 8e9, [gpuDevice({ totalBytes: 8e9, freeBytes: 8e9 })]);
    expect(await listed(small, file)).toMatchObject({ fit: 'tooLarge' });
  });

  it('is named with its memory where both together do not suffice', async () => {
    const file = write('store/large.gguf', 36);
    const check = await withCard(36e9, 23e9).check(file, store, never);
    const message = check.kind === 'refused' && check.error.message;
    expect(message).toContain('too much for this machine with 16.0 GB and 23.0 GB on its GPU');
  });

  it('that only shares the memory of the machine adds nothing', async () => {
    const file = write('store/large.gguf', 19);
    const shared = withCard(19e9, 23e9, [gpuDevice({ kind: 'integrated', totalBytes: 24e9 })]);
    expect(await shared.check(file, store, never)).toMatchObject({ kind: 'refused', error: { code: 'outOfMemory' } });
    expect(await listed(shared, file)).toMatchObject({ fit: 'tooLarge' });
  });
});
