import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { BusyProcesses } from '../measure/busy-processes.js';
import {
  type EngineUnderTest,
  type LoadedBy,
  loadEngine,
  loadOptions,
  peerOptions,
  untilCalibrated,
} from '../measure/engine-under-test.js';
import { median, round } from '../measure/statistics.js';
import { runLlamaBench } from '../peer/llama-bench.js';
import { LlamaServer } from '../peer/llama-server.js';
import { describeAgreement } from './agreement.js';

const DOCUMENT = resolve(REPOSITORY_ROOT, 'test/fixtures/bench/shift-planner.ts');

export interface PlainLengths {
  readonly promptTokens: number;
  readonly generatedTokens: number;
  readonly contextLength: number;
}

export const USUAL_LENGTHS: PlainLengths = { promptTokens: 1200, generatedTokens: 128, contextLength: 2048 };
/** What a chat with some files has: attention takes a large part of the time. */
export const LONG_LENGTHS: PlainLengths = { promptTokens: 7500, generatedTokens: 64, contextLength: 8192 };

/** While other programs compute, llama-server takes seconds for each of these. */
export const BUSY_LENGTHS: PlainLengths = { promptTokens: 300, generatedTokens: 24, contextLength: 2048 };

/** A worker thread of llama-server spins on after an answer: 170 ms on two cores, as its processor time shows. */
export const PAUSE_MS = 300;

export type DecodeOptions = LoadedBy & Pick<BenchmarkOptions, 'runs' | 'progress'>;

/** Tokens per second, and the tokens. */
interface Speed {
  readonly prefill: number;
  readonly decode: number;
  readonly tokens: readonly number[];
}

interface Round {
  readonly prompt: readonly number[];
  readonly ours: Speed;
  readonly peer: Speed;
  /** Null where llama-bench was not asked. */
  readonly bench: { readonly prefill: number; readonly decode: number } | null;
}

/** The prefill gives the first token, so n tokens take n - 1 steps; llama-server counts the same way. */
export function stepsPerSecond(generatedTokens: number, milliseconds: number): number {
  return ((generatedTokens - 1) * 1000) / milliseconds;
}

async function measureOurs(engine: NativeEngine, prompt: readonly number[], lengths: PlainLengths): Promise<Speed> {
  const request = { prompt, maxTokens: lengths.generatedTokens, speculation: 'off' } as const;
  const { tokens, metrics } = await engine.generate(request).result;
  requireWhole('our engine', metrics, lengths);
  if (metrics.reusedTokens > 0) throw new Error(`our engine reused ${metrics.reusedTokens} tokens of the prompt`);
  if (metrics.draftedTokens > 0) throw new Error('our engine drafted tokens; plain decoding is measured here');
  return {
    prefill: (metrics.promptTokens * 1000) / metrics.prefillMs,
    decode: stepsPerSecond(metrics.generatedTokens, metrics.decodeMs),
    tokens,
  };
}

async function measurePeer(server: LlamaServer, prompt: readonly number[], lengths: PlainLengths): Promise<Speed> {
  const answer = await server.complete(prompt, lengths.generatedTokens);
  requireWhole('llama-server', answer, lengths);
  return {
    prefill: (answer.promptTokens * 1000) / answer.promptMs,
    decode: stepsPerSecond(answer.generatedTokens, answer.generationMs),
    tokens: answer.tokens,
  };
}

type Counts = Pick<PlainLengths, 'promptTokens' | 'generatedTokens'>;

function requireWhole(who: string, { promptTokens, generatedTokens }: Counts, wanted: Counts): void {
  if (promptTokens === wanted.promptTokens && generatedTokens === wanted.generatedTokens) return;
  throw new Error(`${who} evaluated ${promptTokens} and generated ${generatedTokens} tokens`);
}

/** Runs both sides alternately, so that other load on the machine affects both. */
async function measureRound(
  index: number,
  own: EngineUnderTest,
  server: LlamaServer,
  text: readonly number[],
  lengths: PlainLengths,
) {
  // Another first token each time, so that nothing of the earlier prompt can be reused.
  const prompt = [1000 + index, ...text];
  const ours = async () => {
    await delay(PAUSE_MS);
    return measureOurs(own.engine, prompt, lengths);
  };
  const peer = async () => {
    await delay(PAUSE_MS);
    return measurePeer(server, prompt, lengths);
  };
  const oursFirst = index % 2 === 0 ? await ours() : null;
  const theirs = await peer();
  return { prompt, ours: oursFirst ?? (await ours()), peer: theirs };
}

/**
 * Prefill and plain decoding of one long prompt, compared with llama-server and llama-bench.
 *
 * @param isBusy whether a busy process for each processor runs beside it; then without llama-bench
 */
export async function measurePlainDecode(
  options: DecodeOptions,
  lengths: PlainLengths,
  isBusy = false,
): Promise<BenchmarkFields> {
  const { runs, progress } = options;
  progress('loading the model on both sides');
  const { promptTokens, generatedTokens, contextLength } = lengths;
  const own = await loadEngine(loadOptions(options, contextLength));
  await untilCalibrated(own);
  const shared = peerOptions(own, options, contextLength);
  const server = await LlamaServer.start(shared);
  const rounds: Round[] = [];
  let agreement: BenchmarkFields = {};
  const busy = isBusy ? new BusyProcesses() : null;
  try {
    const document = [...(await own.engine.tokenize(readFileSync(DOCUMENT, 'utf8')))];
    const text = Array.from({ length: promptTokens - 1 }, (_, at) => document[at % document.length]!);
    // The first round warms caches and threads, and is not counted.
    for (let index = 0; index <= runs; index += 1) {
      const speeds = await measureRound(index, own, server, text, lengths);
      if (index === 0) continue;
      const bench = isBusy ? null : await runLlamaBench({ ...shared, promptTokens, generatedTokens });
      const each = { ...speeds, bench };
      rounds.push(each);
      progress(`run ${index} of ${runs}: ${describeRound(each)}`);
    }
    // With 512 and more cells the peer's attention adds partial sums of its threads, which rounds differently.
    const answers = rounds.map(({ prompt, ours, peer }) => ({ prompt, ours: ours.tokens, theirs: peer.tokens }));
    agreement = await describeAgreement('same_output', own.engine, answers);
  } finally {
    busy?.stop();
    await server.stop();
    await own.engine.close();
  }
  return {
    ...summarize(rounds),
    ...agreement,
    runs,
    prompt_tokens: promptTokens,
    generated_tokens: generatedTokens,
    ...own.description,
  };
}

function describeRound({ ours, peer, bench }: Round): string {
  const show = (ourSpeed: number, peerSpeed: number, benchSpeed: number | undefined): string =>
    `ours ${ourSpeed.toFixed(0)}, llama-server ${peerSpeed.toFixed(0)}` +
    (benchSpeed === undefined ? '' : `, llama-bench ${benchSpeed.toFixed(0)}`);
  const prefill = show(ours.prefill, peer.prefill, bench?.prefill);
  return `prefill ${prefill}; decode ${show(ours.decode, peer.decode, bench?.decode)} tokens/s`;
}

function summarize(rounds: readonly Round[]) {
  const middle = (value: (each: Round) => number, digits: number): number => round(median(rounds.map(value)), digits);
  const benches = rounds.flatMap(({ bench }) => bench ?? []);
  return {
    ours_tps: middle(({ ours }) => ours.decode, 1),
    peer_tps: middle(({ peer }) => peer.decode, 1),
    // Medians of the ratio within each run, which vary less than the ratio of the medians.
    decode_ratio: middle(({ ours, peer }) => ours.decode / peer.decode, 3),
    ours_prefill_tps: middle(({ ours }) => ours.prefill, 1),
    peer_prefill_tps: middle(({ peer }) => peer.prefill, 1),
    prefill_ratio: middle(({ ours, peer }) => ours.prefill / peer.prefill, 3),
    ...(benches.length === 0
      ? {}
      : {
          llama_bench_tps: round(median(benches.map(({ decode }) => decode)), 1),
          llama_bench_prefill_tps: round(median(benches.map(({ prefill }) => prefill)), 1),
        }),
    decode_ratio_runs: rounds.map(({ ours, peer }) => round(ours.decode / peer.decode, 3)),
    prefill_ratio_runs: rounds.map(({ ours, peer }) => round(ours.prefill / peer.prefill, 3)),
  };
}
