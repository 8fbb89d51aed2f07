import { describe, expect, it } from 'vitest';
import {
  type MeasuredModel,
  type PredictedModel,
  predictSpeed,
  type SpeedContext,
} from '../../../../server/src/models/predicted-speed.js';

/** Inkling Starter as it ran on two cores: bytes read for each token, weights that a prompt's token is multiplied with. */
const STARTER: MeasuredModel = {
  path: '/starter.gguf',
  work: { decodeBytes: 33e6, prefillParameters: 44e6 },
  decode: 240,
  prefill: 1400,
};
const LARGE: PredictedModel = {
  path: '/large.gguf',
  work: { decodeBytes: 990e6, prefillParameters: 1.32e9 },
  longestPrompt: null,
};
const CPU: SpeedContext = { measured: [STARTER], device: 'cpu', threads: 2 };

describe('a predicted speed', () => {
  it('of decoding falls with the bytes of a token, of prefill with the weights', () => {
    const speed = predictSpeed(LARGE, CPU);
    expect(speed.basis).toBe('predicted');
    // 1.5 ms of the 4.2 ms are overhead.
    expect(1000 / speed.tokensPerSecond).toBeCloseTo(1.5 + (1000 / 240 - 1.5) * 30);
    // 47 tokens a second make the shortest prompt.
    expect(speed.promptSeconds).toBeCloseTo(768 / (1400 / 30));
  });

  it('is the measured one where the model itself ran', () => {
    const own = { path: '/large.gguf', work: LARGE.work, decode: 11, prefill: 64 };
    expect(predictSpeed(LARGE, { ...CPU, measured: [STARTER, own] })).toEqual({
      tokensPerSecond: 11,
      promptSeconds: 12,
      basis: 'measured',
      atLeast: null,
    });
  });

  it('follows the nearest model that ran here', () => {
    const middle = {
      path: '/b.gguf',
      work: { decodeBytes: 495e6, prefillParameters: 660e6 },
      decode: 30,
      prefill: 200,
    };
    expect(predictSpeed(LARGE, { ...CPU, measured: [STARTER, middle] }).tokensPerSecond).toBeCloseTo(15.35, 2);
    const unlike = { ...middle, decode: null };
    expect(predictSpeed(LARGE, { ...CPU, measured: [STARTER, unlike] }).tokensPerSecond).toBeCloseTo(12.27, 2);
  });

  it('takes no more than two fifths of a fast model for overhead', () => {
    const fast = { ...STARTER, decode: 2000 };
    expect(predictSpeed(LARGE, { ...CPU, measured: [fast] }).tokensPerSecond).toBeCloseTo(2000 / 18.4);
  });

  it('counts the prompts that suggestions will have with it', () => {
    const fast = { ...STARTER, prefill: 300_000 };
    expect(predictSpeed(LARGE, { ...CPU, measured: [fast] }).promptSeconds).toBeCloseTo(6144 / 10_000);
    const short = { ...LARGE, longestPrompt: 2048 };
    expect(predictSpeed(short, { ...CPU, measured: [fast] }).promptSeconds).toBeCloseTo(2048 / 10_000);
  });

  it.each<[string, Partial<SpeedContext>, number]>([
    ['two threads', { measured: [] }, 7e9 / 990e6],
    ['many threads, which share the memory', { measured: [], threads: 64 }, 20e9 / 990e6],
    ['an Apple chip', { measured: [], device: 'shared' }, 50e9 / 990e6],
    ['a GPU with its own memory', { measured: [], device: 'gpu' }, 80e9 / 990e6],
    ["a GPU with the processor's", { measured: [], device: 'integrated' }, 20e9 / 990e6],
    ['a GPU where only a far smaller model ran', { device: 'shared' }, 50e9 / 990e6],
    [
      'a fast GPU where only a far smaller model ran',
      { device: 'gpu', measured: [{ ...STARTER, decode: 6000 }] },
      6000 / 18.4,
    ],
  ])('is only assumed for %s', (_name, context, tokensPerSecond) => {
    const speed = predictSpeed(LARGE, { ...CPU, ...context });
    expect(speed.basis).toBe('assumed');
    expect(speed.tokensPerSecond).toBeCloseTo(tokensPerSecond);
  });

  it.each<[SpeedContext['device'], number, number | null]>([
    ['gpu', 618, 618 / 30],
    ['shared', 618, 618 / 30],
    ['gpu', 449, null],
    // There it is predicted.
    ['cpu', 618, null],
  ])('on a device %s where the starter decodes %d tokens a second is at least %d', (device, decode, atLeast) => {
    expect(predictSpeed(LARGE, { device, threads: 2, measured: [{ ...STARTER, decode }] }).atLeast).toEqual(
      atLeast && expect.closeTo(atLeast),
    );
  });

  // Measured through Vulkan on one H200 (test/bench/README.md): models of Qwen3.5's dimensions in Q4_K_M.
  it.each([
    ['0.8B', { decodeBytes: 516e6, prefillParameters: 498e6 }, 219, 8004],
    ['4B', { decodeBytes: 2.68e9, prefillParameters: 3.5e9 }, 154, 1493],
    ['9B', { decodeBytes: 5.2e9, prefillParameters: 7.9e9 }, 126, 952],
  ])('on a GPU promises no more than was measured: %s', (_name, work, decode, prefill) => {
    const starter = { ...STARTER, decode: 618, prefill: 21_858 };
    const model = { path: null, work, longestPrompt: 512 };
    const { tokensPerSecond, promptSeconds, atLeast } = predictSpeed(model, {
      device: 'gpu',
      threads: 16,
      measured: [starter],
    });
    expect(tokensPerSecond).toBeLessThan(decode);
    expect(promptSeconds).toBeGreaterThan(512 / prefill);
    expect(atLeast ?? 0).toBeLessThan(decode);
  });

  it('is predicted on a GPU from a model of a like size', () => {
    const like = { path: '/b.gguf', work: { decodeBytes: 495e6, prefillParameters: 660e6 }, decode: 90, prefill: 900 };
    const context: SpeedContext = { measured: [like], device: 'shared', threads: 8 };
    expect(predictSpeed(LARGE, context)).toMatchObject({
      tokensPerSecond: expect.closeTo(1 / (0.0015 + (1 / 90 - 0.0015) * 2)),
      basis: 'predicted',
    });
  });

  it('is assumed as a whole while one half of it is', () => {
    expect(predictSpeed(LARGE, { ...CPU, measured: [{ ...STARTER, prefill: null }] }).basis).toBe('assumed');
  });

  it('is a number for a file without weights', () => {
    const nothing = { path: null, work: { decodeBytes: 0, prefillParameters: 0 }, longestPrompt: null };
    for (const context of [CPU, { ...CPU, measured: [] }]) {
      const { tokensPerSecond, promptSeconds } = predictSpeed(nothing, context);
      expect(Number.isFinite(tokensPerSecond) && Number.isFinite(promptSeconds)).toBe(true);
    }
  });
});
