import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  NativeAddon,
  NativeEngine,
  NativeGenerationResult,
  NativeGpuAddon,
} from '../../../server/src/engine/addon/addon-types.js';
import { loadGpuAddon } from '../../../server/src/engine/addon/load-addon.js';
import { NATIVE_DIRECTORY, openAddon } from '../../support/addon.js';
import { lacksSoftwareGpu, softwareGpu } from '../../support/faults/software-gpu.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { attentionModel } from '../../support/models/attention-model.js';
import { madeModel } from '../../support/models/made-model.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const PROMPT = 'function double(n: number): number {\n  return n * 2;\n}\n\nfunction triple(n: number): number {\n';
/** The processor rounds activations to 8 bits, and llvmpipe sums with 16: 0.1 was seen. */
const NOISE = 0.25;

let folder: TemporaryFolder;
let gpu: NativeGpuAddon;
let attention: string;

/** A tiny random model with recurrent state. Without experts: noise would choose others. */
function recurrentModel(): Promise<string> {
  return madeModel({
    name: 'lfm2',
    tool: 'make_tiny_model',
    args: ['lfm2'],
    sources: ['models/make_tiny_model.cpp', 'support/tiny_models.cpp', 'support/gguf_builder.cpp'],
    bytes: 32 * 2 ** 20,
  });
}

async function load(addon: NativeAddon, path: string, gpuLayers = -1): Promise<NativeEngine> {
  const engine = new addon.Engine();
  const onGpu = addon === gpu ? { device: 'Vulkan0', gpuLayers } : {};
  await engine.load({ path, contextLength: 512, threads: 1, requireFim: false, ...onGpu });
  return engine;
}

/** Greedy. */
function answer(engine: NativeEngine, prompt: string) {
  return engine.generate({ prompt: [prompt], maxTokens: 8, speculation: 'off', runnersUp: true }).result;
}

/**
 * Until they choose different tokens, which they may do only where both find two tokens about equally likely: from there
 * on they answer different texts.
 */
async function expectAlike(left: NativeEngine, right: NativeEngine, prompt: string): Promise<void> {
  const [one, other] = [await answer(left, prompt), await answer(right, prompt)];
  for (const [index, token] of one.tokens.entries()) {
    const distance = Math.abs((one.logProbabilities[index] ?? 0) - (other.logProbabilities[index] ?? 0));
    expect(distance).toBeLessThan(NOISE);
    if (token === other.tokens[index]) continue;
    expect(leadAt(one, index) + leadAt(other, index)).toBeLessThan(2 * NOISE);
    return;
  }
}

/** How much likelier the chosen token is than the next best one. */
function leadAt({ logProbabilities, runnerUpLogProbabilities }: NativeGenerationResult, index: number): number {
  return (logProbabilities[index] ?? Number.NaN) - (runnerUpLogProbabilities?.[index] ?? Number.NaN);
}

const ANSWERS_ARE_LEFT_OUT = isLeftOutDaily('answers on llvmpipe');

describe.skipIf(lacksSoftwareGpu('the addon on llvmpipe') !== null)('the addon on llvmpipe', () => {
  beforeAll(async () => {
    folder = new TemporaryFolder();
    Object.assign(process.env, softwareGpu(folder.file('')));
    gpu = loadGpuAddon(NATIVE_DIRECTORY);
    attention = await attentionModel();
  });
  afterAll(() => folder.dispose());

  test('lists the device', () => {
    const [device, ...others] = gpu.devices();
    expect(others).toEqual([]);
    expect(device).toMatchObject({ id: 'Vulkan0', name: expect.stringContaining('llvmpipe'), kind: 'cpu' });
    expect(device?.totalBytes).toBeGreaterThan(0);
  });

  test.skipIf(isLeftOutDaily('the trial of llvmpipe'))('computes on the device for a trial', async () => {
    expect(await gpu.tryDevice('Vulkan0')).toEqual({ deviceMs: expect.any(Number), cpuMs: expect.any(Number) });
    await expect(gpu.tryDevice('Vulkan7')).rejects.toMatchObject({ code: 'deviceFailed' });
  });

  const answers = test.skipIf(ANSWERS_ARE_LEFT_OUT);

  answers.each(['attention', 'recurrent state'])(
    'answers as the processor, also after going back in %s',
    async (kind) => {
      const path = kind === 'attention' ? attention : await recurrentModel();
      const [onCpu, onGpu] = [await load(openAddon(), path), await load(gpu, path)];
      expect(onGpu.facts?.backend).toBe('Vulkan');
      await expectAlike(onGpu, onCpu, `${PROMPT}  return n * 3;\n`);
      await expectAlike(onGpu, onCpu, PROMPT);
      const { metrics } = await answer(onGpu, `${PROMPT}  const three`);
      expect(metrics.reusedTokens).toBeGreaterThan(0);
      await Promise.all([onCpu.close(), onGpu.close()]);
    },
  );

  test('counts and estimates what the device holds', async () => {
    const options = { path: attention, contextLength: 512, device: 'Vulkan0', requireFim: false };
    const estimate = await gpu.estimateMemory(options);
    const engine = await load(gpu, attention);
    const { devices, weightsBytes } = engine.memory();
    const [host, device] = devices;
    expect(host?.name).toBe('CPU');
    expect(device).toMatchObject({ name: 'Vulkan0', description: expect.stringContaining('llvmpipe') });
    expect(device?.weightsBytes).toBeGreaterThan(weightsBytes / 2);
    expect(device?.contextBytes).toBeGreaterThan(0);
    const held = (device?.contextBytes ?? 0) + (device?.computeBytes ?? 0);
    expect(estimate.deviceWeightsBytes).toBe(device?.weightsBytes);
    expect(estimate.deviceCompletionBytes).toBeGreaterThan(held * 0.8);
    expect(estimate.deviceCompletionBytes).toBeLessThan(held * 1.2);
    expect(estimate.deviceFreeBytes).toBeGreaterThan(0);
    await engine.close();
    expect(engine.memory().devices).toEqual([]);
  });

  answers('computes some layers there and the others on the processor', async () => {
    const [onCpu, onBoth] = [await load(openAddon(), attention), await load(gpu, attention, 1)];
    await expectAlike(onBoth, onCpu, PROMPT);
    const { devices, weightsBytes } = onBoth.memory();
    expect(devices[1]?.weightsBytes).toBeGreaterThan(0);
    expect(devices[1]?.weightsBytes).toBeLessThan(weightsBytes / 2);
    await Promise.all([onCpu.close(), onBoth.close()]);
  });

  answers('serves two engines at the same time', async () => {
    const engines = await Promise.all([load(gpu, attention), load(gpu, attention)]);
    const [first, second] = await Promise.all(engines.map((engine) => answer(engine, PROMPT)));
    expect(second?.tokens).toEqual(first?.tokens);
    await Promise.all(engines.map((engine) => engine.close()));
  });

  test('refuses a device that is not there', async () => {
    const engine = new gpu.Engine();
    const loaded = engine.load({ path: attention, device: 'Vulkan9', requireFim: false });
    await expect(loaded).rejects.toMatchObject({ code: 'deviceFailed' });
    await engine.close();
  });
});
