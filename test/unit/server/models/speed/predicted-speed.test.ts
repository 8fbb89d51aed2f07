import { describe, expect, it } from 'vitest';
import {
  type MeasuredModel,
  type PredictedModel,
  predictSpeed,
  type SpeedContext,
} from '../../../../../server/src/models/speed/predicted-speed.js';

/** Inkling Starter on two cores of an AMD EPYC with AVX-512, 24 November 2026 (`bench speed`). */
const STARTER: MeasuredModel = {
  path: '/starter.gguf',
  work: { decodeBytes: 33e6, prefillParameters: 43e6, slowPrefill: true },
  decode: 600,
  prefill: 3600,
};
const LARGE: PredictedModel = {
  path: '/large.gguf',
  work: { decodeBytes: 990e6, prefillParameters: 1.29e9, slowPrefill: false },
  longestPrompt: null,
};
const CPU: SpeedContext = { measured: [STARTER], device: 'cpu', threads: 2 };

describe('a predicted speed', () => {
  it('of decoding falls with the bytes of a token, of prefill with the weights', () => {
    const speed = predictSpeed(LARGE, CPU);
    expect(speed.basis).toBe('predicted');
    expect(speed.tokensPerSecond).toBeCloseTo(20);
    // 120 tokens a second make the shortest prompt.
    expect(speed.promptSeconds).toBeCloseTo(768 / 120);
  });

  // What `bench speed` measured there: models of random weights, of the dimensions of Qwen3.5 (named by size alone) and
  // Qwen2.5.
  it.each<[string, PredictedModel['work'], decode: number, prefill: number]>([
    ['0.8B Q4_K_M', { decodeBytes: 516e6, prefillParameters: 498e6, slowPrefill: true }, 36.9, 187.6],
    ['0.8B Q8_0', { decodeBytes: 800e6, prefillParameters: 498e6, slowPrefill: true }, 29, 155.9],
    ['4B Q4_K_M', { decodeBytes: 2695e6, prefillParameters: 3570e6, slowPrefill: true }, 10.1, 37.3],
    ['4B Q8_0', { decodeBytes: 4471e6, prefillParameters: 3570e6, slowPrefill: true }, 6.4, 26],
    ['Qwen2.5 0.5B Q4_K_M', { decodeBytes: 391e6, prefillParameters: 357e6, slowPrefill: true }, 51.1, 259.8],
    ['Qwen2.5 0.5B Q8_0', { decodeBytes: 525e6, prefillParameters: 357e6, slowPrefill: true }, 45.1, 265.2],
    ['Qwen2.5 1.5B Q4_K_M', { decodeBytes: 980e6, prefillParameters: 1310e6, slowPrefill: false }, 30.7, 166.2],
    ['Qwen2.5 1.5B Q8_0', { decodeBytes: 1640e6, prefillParameters: 1310e6, slowPrefill: true }, 19.9, 74.2],
    ['Qwen2.5 3B Q4_K_M', { decodeBytes: 1923e6, prefillParameters: 2774e6, slowPrefill: false }, 19.5, 75.8],
  ])('is hardly higher than what was measured, and at least half of it: %s', (_name, work, decode, prefill) => {
    const speed = predictSpeed({ path: null, work, longestPrompt: 512 }, CPU);
    expect(speed.tokensPerSecond / decode).toBeLessThan(1.1);
    expect(speed.tokensPerSecond / decode).toBeGreaterThan(0.5);
    const prefillOverMeasured = 512 / speed.promptSeconds / prefill;
    expect(prefillOverMeasured).toBeLessThan(1.1);
    expect(prefillOverMeasured).toBeGreaterThan(0.5);
  });

  // One Xeon with 16 cores, 24 November 2026: the starter with the 8 threads that it gains from.
  it.each([
    ['with 8 threads', 56.4, 467.8],
    ['with 16 threads', 68.2, 727.5],
  ])('gains from threads that the small model did not need: %s', (_name, decode, prefill) => {
    const starter = { ...STARTER, decode: 503.7, prefill: 4775 };
    const work = { decodeBytes: 516e6, prefillParameters: 498e6, slowPrefill: true };
    const speed = predictSpeed({ path: null, work, longestPrompt: 512 }, { ...CPU, measured: [starter], threads: 8 });
    expect(speed.tokensPerSecond / decode).toBeLessThan(1.1);
    expect(speed.tokensPerSecond / decode).toBeGreaterThan(0.5);
    expect(512 / speed.promptSeconds / prefill).toBeLessThan(1.1);
    expect(512 / speed.promptSeconds / prefill).toBeGreaterThan(0.5);
  });

  it('of a model that is like the measured one gains nothing from threads', () => {
    const near = { path: '/near.gguf', work: { ...LARGE.work, decodeBytes: 495e6 }, decode: 30, prefill: 200 };
    const [few, many] = [2, 16].map((threads) => predictSpeed(LARGE, { ...CPU, measured: [near], threads }));
    expect(many).toEqual(few);
  });

  it('counts what takes longer than its weights say, where the measured model is unlike it', () => {
    const slow = { ...LARGE, work: { ...LARGE.work, slowPrefill: true } };
    const near = (slowPrefill: boolean): MeasuredModel => ({
      path: '/near.gguf',
      work: { decodeBytes: 495e6, prefillParameters: 645e6, slowPrefill },
      decode: 30,
      prefill: 200,
    });
    const prefillOf = (model: PredictedModel, measured: MeasuredModel): number =>
      768 / predictSpeed(model, { ...CPU, measured: [measured] }).promptSeconds;
    expect(prefillOf(slow, STARTER)).toBeCloseTo(60);
    expect(prefillOf(slow, near(true))).toBeCloseTo(100);
    expect(prefillOf(slow, near(false))).toBeCloseTo(50);
    expect(prefillOf(LARGE, near(true))).toBeCloseTo(100);
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
      work: { decodeBytes: 495e6, prefillParameters: 645e6, slowPrefill: false },
      decode: 30,
      prefill: 200,
    };
    expect(predictSpeed(LARGE, { ...CPU, measured: [STARTER, middle] }).tokensPerSecond).toBeCloseTo(15);
    const unlike = { ...middle, decode: null };
    expect(predictSpeed(LARGE, { ...CPU, measured: [STARTER, unlike] }).tokensPerSecond).toBeCloseTo(20);
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
      6000 / 30,
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

  // Measured through Vulkan on one H200 (test/bench/FIGURES.md): models of Qwen3.5's dimensions in Q4_K_M.
  it.each([
    ['0.8B', { decodeBytes: 516e6, prefillParameters: 498e6, slowPrefill: true }, 219, 8004],
    ['4B', { decodeBytes: 2695e6, prefillParameters: 3570e6, slowPrefill: true }, 154, 1493],
    ['9B', { decodeBytes: 5.2e9, prefillParameters: 7.9e9, slowPrefill: true }, 126, 952],
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
    const work = { decodeBytes: 495e6, prefillParameters: 645e6, slowPrefill: false };
    const like = { path: '/b.gguf', work, decode: 90, prefill: 900 };
    const context: SpeedContext = { measured: [like], device: 'shared', threads: 8 };
    expect(predictSpeed(LARGE, context)).toMatchObject({
      tokensPerSecond: expect.closeTo(45),
      basis: 'predicted',
    });
  });

  it('is assumed as a whole while one half of it is', () => {
    expect(predictSpeed(LARGE, { ...CPU, measured: [{ ...STARTER, prefill: null }] }).basis).toBe('assumed');
  });

  it('is a number for a file without weights', () => {
    const nothing = {
      path: null,
      work: { decodeBytes: 0, prefillParameters: 0, slowPrefill: false },
      longestPrompt: null,
    };
    for (const context of [CPU, { ...CPU, measured: [] }]) {
      const { tokensPerSecond, promptSeconds } = predictSpeed(nothing, context);
      expect(Number.isFinite(tokensPerSecond) && Number.isFinite(promptSeconds)).toBe(true);
    }
  });
});
