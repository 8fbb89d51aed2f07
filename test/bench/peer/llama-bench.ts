import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { peerBinary } from './peer-binary.js';

export interface LlamaBenchOptions {
  readonly flavour: string;
  readonly model: string;
  readonly threads: number;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** As for llama-server. */
  readonly device?: string | null;
}

/** Tokens per second. */
export interface LlamaBenchResult {
  readonly prefill: number;
  /** After a prompt of promptTokens, not from an empty context. */
  readonly decode: number;
}

/**
 * Runs llama-bench on one prefill and one decode of the same lengths. It evaluates random tokens and does not sample,
 * so its decode figure is an upper limit for llama.cpp, not the speed of a generation.
 */
export async function runLlamaBench(options: LlamaBenchOptions): Promise<LlamaBenchResult> {
  const { promptTokens, generatedTokens } = options;
  return {
    prefill: await measure(options, ['-p', String(promptTokens), '-n', '0']),
    decode: await measure(options, ['-p', '0', '-n', String(generatedTokens), '-d', String(promptTokens)]),
  };
}

async function measure(
  { flavour, model, threads, device = null }: LlamaBenchOptions,
  test: readonly string[],
): Promise<number> {
  const { stdout } = await promisify(execFile)(peerBinary('llama-bench', flavour), [
    ...['--model', model, '--threads', String(threads), '--offline'],
    ...(device === null ? [] : ['--device', device]),
    ...['--repetitions', '1', '--output', 'json', ...test],
  ]);
  const [result] = JSON.parse(stdout) as readonly { readonly avg_ts: number }[];
  if (result === undefined) throw new Error('llama-bench measured nothing');
  return result.avg_ts;
}
