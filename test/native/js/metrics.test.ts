import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

let engine: NativeEngine;

beforeEach(async () => {
  engine = new (openAddon().Engine)();
  await engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
});
afterEach(() => engine.close());

const PROMPT = '// Numbers.\nfunction double(n: number): number {\n';

describe('metrics', () => {
  test('of a generation add up', async () => {
    const promptTokens = (await engine.tokenize(PROMPT)).length;
    const { metrics } = await engine.generate({ prompt: [PROMPT], maxTokens: 16 }).result;
    expect(metrics).toMatchObject({ promptTokens, reusedTokens: 0, generatedTokens: 16 });
    expect(metrics.evaluatedTokens).toBeGreaterThanOrEqual(promptTokens + 15);
    expect(metrics.acceptedDraftTokens).toBeLessThanOrEqual(metrics.draftedTokens);
    expect(metrics.prefillMs).toBeGreaterThan(0);
    expect(metrics.decodeMs).toBeGreaterThan(0);
    expect(metrics.queuedMs).toBeGreaterThanOrEqual(0);
    expect(metrics.prefillTokensPerSecond).toBeCloseTo((promptTokens * 1000) / metrics.prefillMs, 3);
    expect(metrics.decodeTokensPerSecond).toBeCloseTo(16_000 / metrics.decodeMs, 3);
    expect(metrics.peakRssBytes).toBeGreaterThan(35e6);

    const next = await engine.generate({ prompt: [PROMPT], maxTokens: 2 }).result;
    expect(next.metrics.generatedTokens).toBe(2);
  });

  test('of an aborted generation count what it said', async () => {
    const generation = engine.generate({ prompt: [PROMPT], maxTokens: 400 }, () => generation.abort());
    const { metrics, tokens } = await generation.result;
    expect(metrics.generatedTokens).toBe(tokens.length);
  });

  test('include the wait behind other jobs', async () => {
    const first = engine.generate({ prompt: [PROMPT], maxTokens: 64 });
    const second = engine.generate({ prompt: [PROMPT], maxTokens: 1 });
    const ahead = (await first.result).metrics;
    const behind = (await second.result).metrics;
    expect(behind.queuedMs).toBeGreaterThanOrEqual((ahead.prefillMs + ahead.decodeMs) * 0.9);
  });
});

describe('memory', () => {
  test('of a loaded engine is counted in every part', () => {
    const memory = engine.memory();
    expect(memory.weightsBytes + memory.mtpWeightsBytes).toBe(engine.facts?.weightsBytes);
    expect(memory.kvBytes + memory.recurrentBytes).toBe(memory.contextBytes);
    for (const part of [
      'mtpWeightsBytes',
      'kvBytes',
      'recurrentBytes',
      'computeBytes',
      'graphBytes',
      'outputBytes',
      'vocabularyBytes',
      'processRssBytes',
      'peakRssBytes',
    ] as const) {
      expect(memory[part], part).toBeGreaterThan(0);
    }
    const { weightsBytes, mtpWeightsBytes, contextBytes, checkpointBytes, swappedBytes } = memory;
    const { computeBytes, graphBytes, outputBytes, vocabularyBytes } = memory;
    expect(memory.totalBytes).toBe(
      weightsBytes +
        mtpWeightsBytes +
        contextBytes +
        checkpointBytes +
        swappedBytes +
        computeBytes +
        graphBytes +
        outputBytes +
        vocabularyBytes,
    );
    expect(memory.devices[0]).toMatchObject({ name: expect.stringMatching(/\S/), freeBytes: expect.any(Number) });
    expect(memory.devices.reduce((sum, device) => sum + device.contextBytes, 0)).toBe(contextBytes);
    expect(memory.deviceTotalBytes).toBeGreaterThan(memory.weightsBytes);
    expect(memory.deviceFreeBytes).toBeLessThanOrEqual(memory.deviceTotalBytes);
  });

  test('of graphs is what their nodes take, not the room for ten times as many', () => {
    expect(engine.memory().graphBytes).toBeLessThan(5e6);
  });

  test('of a longer context is more', async () => {
    const longer = new (openAddon().Engine)();
    await longer.load({ path: STARTER_MODEL, contextLength: 4096 });
    expect(longer.memory().contextBytes).toBeGreaterThan(engine.memory().contextBytes);
    await longer.close();
  });

  test('does not grow from one generation to the next', async () => {
    const run = () => engine.generate({ prompt: [PROMPT.repeat(8)], maxTokens: 8 }).result;
    for (let round = 0; round < 5; round += 1) await run();
    const before = engine.memory();
    for (let round = 0; round < 25; round += 1) await run();
    const after = engine.memory();
    expect(after.contextBytes).toBe(before.contextBytes);
    expect(after.processRssBytes - before.processRssBytes).toBeLessThan(16e6);
  });

  test('is freed by close', async () => {
    const other = new (openAddon().Engine)();
    for (let round = 0; round < 2; round += 1) {
      const warm = new (openAddon().Engine)();
      await warm.load({ path: STARTER_MODEL });
      await warm.close();
    }
    const before = other.memory().processRssBytes;
    for (let round = 0; round < 6; round += 1) {
      const each = new (openAddon().Engine)();
      await each.load({ path: STARTER_MODEL });
      await each.generate({ prompt: [PROMPT], maxTokens: 2 }).result;
      await each.close();
      expect(each.memory()).toMatchObject({ weightsBytes: 0, contextBytes: 0, computeBytes: 0, outputBytes: 0 });
    }
    // Six models would take more than 300 MB.
    expect(other.memory().processRssBytes - before).toBeLessThan(60e6);
    await other.close();
  });
});
