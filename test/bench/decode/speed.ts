import { readGgufHeader } from '../../../server/src/models/gguf/gguf-header.js';
import { predictSpeed } from '../../../server/src/models/speed/predicted-speed.js';
import { STARTER_MODEL } from '../../support/addon.js';
import type { Benchmark, BenchmarkOptions } from '../measure/benchmark.js';
import { loadEngine, loadOptions } from '../measure/engine-under-test.js';
import { median, round } from '../measure/statistics.js';
import { stepsPerSecond } from './plain-decode.js';

/** As in the server's first measurement of a model. */
const PROMPT_TOKENS = 512;
const GENERATED_TOKENS = 32;
const CONTEXT_LENGTH = 1024;

interface Speed {
  readonly prefill: number;
  readonly decode: number;
}

/** Any tokens, another first one in each run. */
function promptOf(run: number): number[] {
  return Array.from({ length: PROMPT_TOKENS }, (_, index) => 300 + (((index + run * PROMPT_TOKENS) * 7919) % 15_000));
}

/**
 * Loads a model, measures it and closes it. Without pauses: the engine measures the costs of drafts in them.
 *
 * @returns the speeds but for the first, which warms caches
 */
async function measure({ model, threads, runs, device }: BenchmarkOptions) {
  const own = await loadEngine({ ...loadOptions({ model, threads, device }, CONTEXT_LENGTH), requireFim: false });
  try {
    const speeds: Speed[] = [];
    for (let run = 0; run <= runs; run += 1) {
      const request = { prompt: promptOf(run), maxTokens: GENERATED_TOKENS, speculation: 'off' } as const;
      const { metrics } = await own.engine.generate(request).result;
      speeds.push({
        prefill: ((metrics.promptTokens - metrics.reusedTokens) * 1000) / metrics.prefillMs,
        decode: stepsPerSecond(metrics.generatedTokens, metrics.decodeMs),
      });
    }
    return { speeds: speeds.slice(1), threads: own.facts.threads, description: own.description };
  } finally {
    await own.engine.close();
  }
}

/** The starter, another model and the starter again, and what the one's speed predicts for the other. */
async function run(options: BenchmarkOptions) {
  if (options.model === STARTER_MODEL)
    throw new Error('say with --model for which model the starter predicts the speed');
  const starter = { ...options, model: STARTER_MODEL };
  options.progress('the starter');
  const before = await measure(starter);
  options.progress('the other model');
  const other = await measure(options);
  options.progress('the starter again');
  const after = await measure(starter);
  const speeds = { starter: [...before.speeds, ...after.speeds], other: other.speeds };
  const of = (who: keyof typeof speeds, phase: keyof Speed): number => median(speeds[who].map((each) => each[phase]));
  const workOf = async (path: string) => (await readGgufHeader(path)).work;
  const work = await workOf(options.model);
  const starterWork = await workOf(STARTER_MODEL);
  const measured = {
    path: STARTER_MODEL,
    work: starterWork,
    decode: of('starter', 'decode'),
    prefill: of('starter', 'prefill'),
  };
  const predicted = predictSpeed(
    { path: null, work, longestPrompt: PROMPT_TOKENS },
    { measured: [measured], device: 'cpu', threads: before.threads },
  );
  return {
    starter_prefill_tps: round(measured.prefill, 0),
    starter_decode_tps: round(measured.decode, 1),
    prefill_tps: round(of('other', 'prefill'), 1),
    decode_tps: round(of('other', 'decode'), 1),
    predicted_over_measured_prefill: round(PROMPT_TOKENS / predicted.promptSeconds / of('other', 'prefill'), 3),
    predicted_over_measured_decode: round(predicted.tokensPerSecond / of('other', 'decode'), 3),
    starter_work: { ...starterWork },
    work: { ...work },
    runs: options.runs,
    ...other.description,
  };
}

export const speed: Benchmark = {
  name: 'speed',
  summary: "a model's speed, and what the starter model's speed predicts for it (tokens per second, medians)",
  defaultRuns: 3,
  run,
};
