import { setTimeout as delay } from 'node:timers/promises';
import type { NativeEngine, NativeLoadOptions } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon } from '../../support/addon.js';
import { attentionModel } from '../../support/models/attention-model.js';
import { PAUSE_MS } from '../decode/plain-decode.js';
import type { Benchmark, BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { median, round } from '../measure/statistics.js';
import { measureCard } from './card-memory.js';
import { measureDrift } from './memory-drift.js';
import { residentMemory } from './resident-memory.js';
import { measureServer } from './server-memory.js';

const ACCOUNTED_TOKENS = 8000;
const GROWTH_TOKENS = 30_000;
const GROWTH_CONTEXT = 32_768;
/** Tokens that each request adds, where many requests read the same prompt in pieces. */
const GROWTH_STEP = 3000;
const CHECKPOINT_TOKENS = 2000;
const CHECKPOINT_ROUNDS = 7;
const LOADS = 5;

type Load = Pick<BenchmarkOptions, 'threads'> & NativeLoadOptions;

async function withEngine<T>(options: Load, use: (engine: NativeEngine) => Promise<T>): Promise<T> {
  const engine = new (openAddon(process.env.INKLING_CPU_FLAVOUR).Engine)();
  try {
    await engine.load(options);
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** Arbitrary tokens without repeated ranges. */
function tokens(count: number, seed = 0): number[] {
  return Array.from({ length: count }, (_, index) => 300 + (((index + seed) * 7919) % 15_000));
}

/** Memory after each load and close, compared with before. The first pair is not counted, since it also loads code. */
async function unload(options: Load): Promise<BenchmarkFields> {
  const resident: number[] = [];
  for (let load = 0; load <= LOADS; load += 1) {
    await withEngine(options, (engine) => engine.generate({ prompt: tokens(500), maxTokens: 16 }).result);
    resident.push(await residentMemory());
  }
  const residues = resident.slice(1).map((after, index) => after - resident[index]!);
  return {
    unload_residue_bytes: Math.max(...residues),
    unload_residues_bytes: residues,
    unload_growth_bytes: resident.at(-1)! - resident[1]!,
    unloaded_over_first: round(resident.at(-1)! / resident[1]!, 3),
  };
}

/**
 * The report's growth over the process's growth, after a load and after a long prompt. Not of the first load, which
 * also adds the addon's code and the heaps of threads and V8 once.
 */
async function accounting(options: Load): Promise<BenchmarkFields> {
  const measure = async () => {
    const before = await residentMemory();
    return withEngine({ ...options, contextLength: 8192 }, async (engine) => {
      const ratio = async () => round(engine.memory().totalBytes / ((await residentMemory()) - before), 3);
      const afterLoad = await ratio();
      await engine.generate({ prompt: tokens(ACCOUNTED_TOKENS), maxTokens: 64 }).result;
      return { afterLoad, afterPrompt: await ratio() };
    });
  };
  const first = await measure();
  const { afterLoad, afterPrompt } = await measure();
  return {
    accounted_ratio: afterPrompt,
    accounted_ratio_after_load: afterLoad,
    accounted_ratio_first_load: first.afterPrompt,
    accounted_ratio_after_first_load: first.afterLoad,
  };
}

/** The largest error of the estimates, over context lengths, cache types and architectures. */
async function estimates(options: Load): Promise<BenchmarkFields> {
  const { estimateMemory } = openAddon(process.env.INKLING_CPU_FLAVOUR);
  const attention = { ...options, path: await attentionModel() };
  const variants: readonly Load[] = [
    { ...options, contextLength: 512 },
    { ...options, contextLength: 2048, kvType: 'q8_0' },
    { ...options, contextLength: 8192 },
    { ...options, contextLength: 32_768, kvType: 'q8_0' },
    { ...options, contextLength: 8192, mtp: false, batchSize: 512 },
    { ...attention, contextLength: 1024 },
    { ...attention, contextLength: 8192, kvType: 'q8_0' },
  ];
  const errors: number[] = [];
  for (const each of variants) {
    const { totalBytes } = await estimateMemory(each);
    const actual = await withEngine(each, async (engine) => engine.memory().totalBytes);
    errors.push(round(totalBytes / actual - 1, 4));
  }
  return { estimate_error: Math.max(...errors.map(Math.abs)), estimate_errors: errors };
}

/**
 * The growth of the process during a long prefill, over the size of its keys and values, without checkpoints and
 * swapped-out prompts, which have their own budgets. The cache exists from the load on. Compute buffers are reserved
 * then too, and become resident when the first long prompt writes to them.
 */
async function growth(options: Load): Promise<BenchmarkFields> {
  const measure = (steps: readonly number[]) =>
    withEngine({ ...options, contextLength: GROWTH_CONTEXT }, async (engine) => {
      const kvBytes = (engine.memory().kvBytes / GROWTH_CONTEXT) * GROWTH_TOKENS;
      const own = async () => (await residentMemory()) - engine.memory().checkpointBytes - engine.memory().swappedBytes;
      const loaded = await own();
      await engine.generate({ prompt: tokens(GROWTH_TOKENS, 1), maxTokens: 1 }).result;
      const touched = await own();
      for (const length of steps) await engine.generate({ prompt: tokens(length), maxTokens: 1 }).result;
      return { firstTouch: touched - loaded, grown: (await own()) - touched, kvBytes };
    });
  const whole = await measure([GROWTH_TOKENS]);
  const pieces = await measure(
    Array.from({ length: GROWTH_TOKENS / GROWTH_STEP }, (_, index) => (index + 1) * GROWTH_STEP),
  );
  return {
    prefill_growth_over_kv: round(Math.max(whole.grown, pieces.grown) / whole.kvBytes, 3),
    prefill_growth_bytes: whole.grown,
    prefill_growth_in_pieces_bytes: pieces.grown,
    prefill_first_touch_bytes: whole.firstTouch,
    prefill_kv_bytes: Math.round(whole.kvBytes),
  };
}

/** The same prefill with and without checkpoints, alternating. */
async function checkpoints(options: Load): Promise<BenchmarkFields> {
  const load = { ...options, contextLength: 4096, swapBudgetBytes: 0 };
  const time = async (engine: NativeEngine, seed: number): Promise<number> => {
    // The other engine's threads spin for a moment after its end.
    await delay(PAUSE_MS);
    const request = { prompt: tokens(CHECKPOINT_TOKENS, seed), maxTokens: 1, speculation: 'off' as const };
    return (await engine.generate(request).result).metrics.prefillMs;
  };
  const shares = await withEngine(load, (taking) =>
    withEngine({ ...load, checkpointBudgetBytes: 0 }, async (bare) => {
      const rounds: number[] = [];
      for (let index = 0; index <= CHECKPOINT_ROUNDS; index += 1) {
        const seed = 2 * index * CHECKPOINT_TOKENS;
        // Each is first once, so that other load on the machine affects both.
        const taken = await time(taking, seed);
        const without = (await time(bare, seed)) + (await time(bare, seed + CHECKPOINT_TOKENS));
        rounds.push((taken + (await time(taking, seed + CHECKPOINT_TOKENS))) / without - 1);
      }
      return rounds.slice(1);
    }),
  );
  return {
    checkpoint_over_prefill: round(median(shares), 4),
    checkpoint_over_prefill_runs: shares.map((share) => round(share, 4)),
  };
}

const PARTS = { unload, accounting, estimates, growth, checkpoints };

async function run(benchmark: BenchmarkOptions): Promise<BenchmarkFields> {
  const { runs, threads, model, part, device, progress } = benchmark;
  const options = { path: model, threads };
  if (device !== null) {
    if (part !== null && part !== 'card') throw new Error('with --device it measures the part card');
    // A run here is a load, not a request.
    return measureCard({ ...options, device }, tokens(ACCOUNTED_TOKENS), Math.min(runs, LOADS), progress);
  }
  if (part === 'card') throw new Error('the part card needs --device');
  let fields: BenchmarkFields = {};
  for (const [name, measure] of Object.entries(PARTS)) {
    if (part !== null && part !== name) continue;
    progress(name);
    fields = { ...fields, ...(await measure(options)) };
  }
  if (part === null || part === 'drift') {
    progress('drift');
    fields = {
      ...fields,
      ...(await withEngine({ ...options, contextLength: 2048, chatContextLength: 2048 }, (engine) =>
        measureDrift(engine, runs, progress),
      )),
    };
  }
  // Minutes of rest: only by name.
  if (part === 'server') {
    progress('server');
    fields = { ...fields, ...(await measureServer(benchmark)) };
  }
  return { ...fields, runs, flavour: openAddon(process.env.INKLING_CPU_FLAVOUR).flavour };
}

export const memory: Benchmark = {
  name: 'memory',
  summary: 'what the process holds: accounted, estimated, grown by a long prompt, kept after closing, drifted (bytes)',
  /** Requests of the drift part. */
  defaultRuns: 1000,
  parts: [...Object.keys(PARTS), 'drift', 'server', 'card'],
  onDevices: true,
  run,
};
