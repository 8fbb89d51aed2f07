import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FirstMeasurement } from '../../../../../server/src/engine/lifecycle/first-measurement.js';
import { decodeSpeed, prefillSpeed } from '../../../../../server/src/engine/measured/generation-speed.js';
import { MeasuredSpeeds } from '../../../../../server/src/engine/measured/measured-speeds.js';
import type { GenerateRequest, GenerationResult } from '../../../../../server/src/engine/port/generation.js';
import { METRICS, ScriptedEngine, SILENT } from '../../scripted-engine.js';
import { createHost, ignore, never, ONE, REQUEST } from './loaded-host.js';

const IDLE_MS = 5_000;
const BUSY_MS = 15_000;
const DAY_MS = 86_400_000;
const PREFILL = 1_600;
const DECODE = 200;

/** An engine that takes the time of its tokens, as its metrics say. */
class TimedEngine extends ScriptedEngine {
  preemptions = 0;
  /** How many times as long the next answers take, since other programs run. */
  disturbed: number[] = [];
  /** How many times as long the next prompts of 512 tokens take. */
  slower: number[] = [];
  /** What its threads get of the processor's time. */
  share = 0.98;
  /** Prompts that it has read, whose state it may still have. */
  readonly #held: (readonly unknown[])[] = [];

  override async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const result = await super.generate(request, onText, signal);
    const promptTokens = request.prompt.length;
    const reusedTokens = Math.max(0, ...this.#held.map((held) => commonPrefix(held, request.prompt)));
    this.#held.push([...request.prompt]);
    const generatedTokens = request.maxTokens;
    const evaluatedTokens = promptTokens - reusedTokens;
    const slower = evaluatedTokens >= 512 ? (this.slower.shift() ?? 1) : 1;
    const prefillMs = (evaluatedTokens / PREFILL) * 1000 * slower;
    const processorMs = prefillMs * this.share;
    const { preemptions } = this;
    const local = {
      ...METRICS.local!,
      evaluatedTokens,
      draftedTokens: 0,
      replayedTokens: 0,
      rounds: generatedTokens,
      preemptions,
      processorMs,
    };
    const disturbed = generatedTokens > 0 ? (this.disturbed.shift() ?? 1) : 1;
    const decodeMs = (generatedTokens / DECODE) * 1000 * disturbed;
    return {
      ...result,
      metrics: { ...METRICS, promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs, local },
    };
  }
}

function commonPrefix(left: readonly unknown[], right: readonly unknown[]): number {
  const end = left.findIndex((token, index) => token !== right[index]);
  return end === -1 ? left.length : end;
}

/** What later sessions will know. */
const file = { read: () => null, changeSoon: vi.fn() };
let measurement: FirstMeasurement | null = null;

async function world(mayRun = () => true) {
  const engine = new TimedEngine();
  const { host } = createHost(undefined, () => engine);
  const prefillSpeeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
  const decodeSpeeds = new MeasuredSpeeds(file, 'cpu', decodeSpeed);
  measurement = new FirstMeasurement({ client: host.client, prefillSpeeds, decodeSpeeds, mayRun, log: SILENT });
  host.lifecycle.want(ONE);
  await vi.advanceTimersByTimeAsync(0);
  engine.finishLoad();
  await vi.advanceTimersByTimeAsync(0);
  const facts = host.client.facts!;
  return { engine, client: host.client, speeds: () => [prefillSpeeds.of(facts), decodeSpeeds.of(facts)] };
}

beforeEach(() => {
  vi.useFakeTimers();
  file.changeSoon.mockClear();
});

afterEach(() => {
  measurement?.dispose();
  vi.useRealTimers();
});

describe('the first measurement', () => {
  it('says how fast a model is, once nobody has asked it for a while, and never again', async () => {
    const { engine, speeds } = await world();
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(engine.requests).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(speeds()).toEqual([expect.closeTo(PREFILL), expect.closeTo(DECODE)]);
    expect(file.changeSoon).toHaveBeenCalledTimes(2);
    const { length } = engine.requests;
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(engine.requests).toHaveLength(length);
  });

  it('evaluates 512 tokens behind a prompt that is held, below every other priority', async () => {
    const { engine } = await world();
    engine.choices = { tokens: [7] };
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(engine.requests.map(({ prompt, maxTokens }) => [prompt.length, maxTokens])).toEqual([
      [64, 0],
      [576, 0],
      [576, 16],
      [577, 16],
      [578, 16],
    ]);
    for (const { priority } of engine.requests) expect(priority).toBe('background');
  });

  it('waits until the model has been idle', async () => {
    const { engine, client } = await world();
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1_000);
    await client.generate(REQUEST, ignore, never);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(engine.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(engine.requests).toHaveLength(6);
  });

  it('takes the fastest of three answers, since another program may hold up any of them', async () => {
    const { engine, speeds } = await world();
    engine.disturbed = [5, 1, 2];
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(speeds()[1]).toBeCloseTo(DECODE);
  });

  it('asks a slow model for one answer only', async () => {
    const { engine } = await world();
    engine.disturbed = [10, 10, 10];
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(engine.requests.filter(({ maxTokens }) => maxTokens > 0)).toHaveLength(1);
  });

  it('ends as soon as somebody asks the model for something, and tries again later', async () => {
    const { engine, client, speeds } = await world();
    let open: () => void = () => undefined;
    engine.gate = new Promise((resolve) => {
      open = resolve;
    });
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(engine.requests).toHaveLength(1);
    const asked = client.generate(REQUEST, ignore, never);
    open();
    await asked;
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(engine.requests).toHaveLength(2);
    expect(speeds()).toEqual([null, null]);
    await vi.advanceTimersByTimeAsync(1);
    expect(speeds()).toEqual([expect.closeTo(PREFILL), expect.closeTo(DECODE)]);
  });

  it('counts nothing that was interrupted elsewhere, and gives up after three attempts', async () => {
    const { engine, speeds } = await world();
    engine.preemptions = 1;
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(speeds()).toEqual([null, null]);
    expect(engine.requests).toHaveLength(3);
  });

  it.each([
    ['beside one busy program', 0.58],
    ['beside two', 0.12],
  ])('counts no prompt that was read %s, and tries again a quarter of a minute later', async (_name, share) => {
    const { engine, speeds } = await world();
    engine.share = share;
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(engine.requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(BUSY_MS - 1);
    expect(engine.requests).toHaveLength(2);
    engine.share = 0.98;
    await vi.advanceTimersByTimeAsync(1);
    expect(speeds()).toEqual([expect.closeTo(PREFILL), expect.closeTo(DECODE)]);
  });

  it('takes the fastest of three prompts on a machine that stays busy, each later than the one before', async () => {
    const { engine, speeds } = await world();
    engine.share = 0.5;
    engine.slower = [3, 2, 4];
    await vi.advanceTimersByTimeAsync(IDLE_MS + BUSY_MS);
    expect(engine.requests).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(2 * BUSY_MS - 1);
    expect(engine.requests).toHaveLength(4);
    expect(speeds()).toEqual([null, null]);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(engine.requests).toHaveLength(9);
    expect(speeds()).toEqual([expect.closeTo(PREFILL / 2), expect.closeTo(DECODE)]);
    expect(file.changeSoon).not.toHaveBeenCalled();
  });

  it('does nothing while nothing may run by itself', async () => {
    const { engine } = await world(() => false);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(engine.requests).toHaveLength(0);
  });
});
