import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeEngine } from '../../server/src/engine/addon-types.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';
import { describeAgreement } from './agreement.js';
import type { BenchmarkFields, BenchmarkOptions } from './benchmark.js';
import { type EngineUnderTest, type LoadedBy, loadEngine, loadOptions, peerOptions } from './engine-under-test.js';
import { runLlamaBench } from './llama-bench.js';
import { LlamaServer } from './llama-server.js';
import { median, round } from './statistics.js';

const DOCUMENT = resolve(REPOSITORY_ROOT, 'test/fixtures/bench/shift-planner.ts');
const PROMPT_TOKENS = 1200;
const GENERATED_TOKENS = 128;
const CONTEXT_LENGTH = 2048;

/** Worker threads of either side spin for a moment after its end. */
export const PAUSE_MS = 100;

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
  readonly bench: { readonly prefill: number; readonly decode: number };
}

/** The prefill gives the first token, so n tokens take n - 1 steps; llama-server counts the same way. */
export function stepsPerSecond(generatedTokens: number, milliseconds: number): number {
  return ((generatedTokens - 1) * 1000) / milliseconds;
}

async function measureOurs(engine: NativeEngine, prompt: readonly number[]): Promise<Speed> {
  const request = { prompt, maxTokens: GENERATED_TOKENS, speculation: 'off' } as const;
  const { tokens, metrics } = await engine.generate(request).result;
  requireWhole('our engine', metrics.promptTokens, metrics.generatedTokens);
  if (metrics.reusedTokens > 0) throw new Error(`our engine reused ${metrics.reusedTokens} tokens of the prompt`);
  if (metrics.draftedTokens > 0) throw new Error('our engine drafted tokens; plain decoding is measured here');
  return {
    prefill: (metrics.promptTokens * 1000) / metrics.prefillMs,
    decode: stepsPerSecond(metrics.generatedTokens, metrics.decodeMs),
    tokens,
  };
}

async function measurePeer(server: LlamaServer, prompt: readonly number[]): Promise<Speed> {
  const answer = await server.complete(prompt, GENERATED_TOKENS);
  requireWhole('llama-server', answer.promptTokens, answer.generatedTokens);
  return {
    prefill: (answer.promptTokens * 1000) / answer.promptMs,
    decode: stepsPerSecond(answer.generatedTokens, answer.generationMs),
    tokens: answer.tokens,
  };
}

function requireWhole(who: string, promptTokens: number, generatedTokens: number): void {
  if (promptTokens === PROMPT_TOKENS && generatedTokens === GENERATED_TOKENS) return;
  throw new Error(`${who} evaluated ${promptTokens} and generated ${generatedTokens} tokens`);
}

/** Runs both sides alternately, so that other load on the machine affects both. */
async function measureRound(index: number, own: EngineUnderTest, server: LlamaServer, text: readonly number[]) {
  // Another first token each time, so that nothing of the earlier prompt can be reused.
  const prompt = [1000 + index, ...text];
  const ours = async () => {
    await delay(PAUSE_MS);
    return measureOurs(own.engine, prompt);
  };
  const peer = async () => {
    await delay(PAUSE_MS);
    return measurePeer(server, prompt);
  };
  const oursFirst = index % 2 === 0 ? await ours() : null;
  const theirs = await peer();
  return { prompt, ours: oursFirst ?? (await ours()), peer: theirs };
}

/** Prefill and plain decoding of one long prompt, compared with llama-server and llama-bench. */
export async function measurePlainDecode(options: DecodeOptions): Promise<BenchmarkFields> {
  const { runs, progress } = options;
  progress('loading the model on both sides');
  const own = await loadEngine(loadOptions(options, CONTEXT_LENGTH));
  const shared = peerOptions(own, options, CONTEXT_LENGTH);
  const server = await LlamaServer.start(shared);
  const rounds: Round[] = [];
  let agreement: BenchmarkFields = {};
  try {
    const document = await own.engine.tokenize(readFileSync(DOCUMENT, 'utf8'));
    const text = [...document.subarray(0, PROMPT_TOKENS - 1)];
    // The first round warms caches and threads, and is not counted.
    for (let index = 0; index <= runs; index += 1) {
      const speeds = await measureRound(index, own, server, text);
      if (index === 0) continue;
      const lengths = { promptTokens: PROMPT_TOKENS, generatedTokens: GENERATED_TOKENS };
      const each = { ...speeds, bench: await runLlamaBench({ ...shared, ...lengths }) };
      rounds.push(each);
      progress(`run ${index} of ${runs}: ${describeRound(each)}`);
    }
    // With 512 and more cells the peer's attention adds partial sums of its threads, which rounds differently.
    const answers = rounds.map(({ prompt, ours, peer }) => ({ prompt, ours: ours.tokens, theirs: peer.tokens }));
    agreement = await describeAgreement('same_output', own.engine, answers);
  } finally {
    await server.stop();
    await own.engine.close();
  }
  return {
    ...summarize(rounds),
    ...agreement,
    runs,
    prompt_tokens: PROMPT_TOKENS,
    generated_tokens: GENERATED_TOKENS,
    ...own.description,
  };
}

function describeRound({ ours, peer, bench }: Round): string {
  const show = (ourSpeed: number, peerSpeed: number, benchSpeed: number): string =>
    `ours ${ourSpeed.toFixed(0)}, llama-server ${peerSpeed.toFixed(0)}, llama-bench ${benchSpeed.toFixed(0)}`;
  const prefill = show(ours.prefill, peer.prefill, bench.prefill);
  return `prefill ${prefill}; decode ${show(ours.decode, peer.decode, bench.decode)} tokens/s`;
}

function summarize(rounds: readonly Round[]) {
  const middle = (value: (each: Round) => number, digits: number): number => round(median(rounds.map(value)), digits);
  return {
    ours_tps: middle(({ ours }) => ours.decode, 1),
    peer_tps: middle(({ peer }) => peer.decode, 1),
    // Medians of the ratio within each run, which vary less than the ratio of the medians.
    decode_ratio: middle(({ ours, peer }) => ours.decode / peer.decode, 3),
    ours_prefill_tps: middle(({ ours }) => ours.prefill, 1),
    peer_prefill_tps: middle(({ peer }) => peer.prefill, 1),
    prefill_ratio: middle(({ ours, peer }) => ours.prefill / peer.prefill, 3),
    llama_bench_tps: middle(({ bench }) => bench.decode, 1),
    llama_bench_prefill_tps: middle(({ bench }) => bench.prefill, 1),
    decode_ratio_runs: rounds.map(({ ours, peer }) => round(ours.decode / peer.decode, 3)),
    prefill_ratio_runs: rounds.map(({ ours, peer }) => round(ours.prefill / peer.prefill, 3)),
  };
}
