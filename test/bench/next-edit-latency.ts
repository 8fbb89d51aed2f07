import { setTimeout as delay } from 'node:timers/promises';
import type { ReadyPrompt } from '../../server/src/next-edit/rewrite/ready-prompt.js';
import type { BenchmarkFields, BenchmarkOptions } from './benchmark.js';
import { LlamaServer } from './llama-server.js';
import type { NextEditModel } from './next-edit-answers.js';
import type { NextEditScenario } from './next-edit-scenarios.js';
import { PAUSE_MS } from './plain-decode.js';
import { median, round } from './statistics.js';

const CONTEXT_LENGTH = 2048;
/** Regions of so many lines, as the server asks for. */
const LINES = { least: 18, most: 22 };
const COMPLETION = 'export function describe(name: string, count: number): string {\n  const label = ';
const COMPLETION_TOKENS = 8;
/** After the first region: our engine measures its costs once. */
const CALIBRATION_MS = 2_000;

interface Sample {
  readonly ms: number;
  readonly peerMs: number | null;
  readonly edited: boolean;
  /** Decoded tokens, as a share of the region's. */
  readonly decoded: number;
  readonly promptTokens: number;
}

/**
 * How long the model takes for a region of about twenty lines, ours and llama-server's with the same prompt; and whether
 * the completion that was there before is as fast afterwards.
 */
export async function measureLatency(
  model: NextEditModel,
  scenarios: readonly NextEditScenario[],
  { runs, progress, model: file }: BenchmarkOptions,
): Promise<BenchmarkFields> {
  const asked = scenarios.filter(({ current }) => {
    const lines = current.split('\n').length - 1;
    return lines >= LINES.least && lines <= LINES.most;
  });
  const peer = await startPeer(model, file, progress);
  const samples: Sample[] = [];
  const completions: { before: number; after: number }[] = [];
  try {
    for (const [index, scenario] of asked.slice(0, runs + 1).entries()) {
      progress(index === 0 ? 'a region that is not counted' : `region ${index} of ${Math.min(runs, asked.length - 1)}`);
      await delay(PAUSE_MS);
      const before = await completionMs(model, index, 1);
      const sample = await measure(model, await model.promptFor(scenario), peer);
      await delay(PAUSE_MS);
      const after = await completionMs(model, index, 2);
      if (index === 0) {
        await delay(CALIBRATION_MS);
        continue;
      }
      completions.push({ before, after });
      if (sample !== null) samples.push(sample);
    }
  } finally {
    await peer?.stop();
  }
  const of = (edited: boolean) => samples.filter((sample) => sample.edited === edited);
  return {
    regions_without_edit: of(false).length,
    regions_with_edit: of(true).length,
    prompt_tokens_p50: middle(samples.map(({ promptTokens }) => promptTokens)),
    ms_no_edit_p50: middle(of(false).map(({ ms }) => ms)),
    ms_edit_p50: middle(of(true).map(({ ms }) => ms)),
    peer_ms_no_edit_p50: middle(of(false).flatMap(({ peerMs }) => peerMs ?? [])),
    peer_ms_edit_p50: middle(of(true).flatMap(({ peerMs }) => peerMs ?? [])),
    decoded_over_region: middle(of(true).map(({ decoded }) => decoded)),
    completion_ms_before_p50: middle(completions.map(({ before }) => before)),
    completion_ms_after_p50: middle(completions.map(({ after }) => after)),
  };
}

async function measure(model: NextEditModel, prompt: ReadyPrompt, peer: LlamaServer | null): Promise<Sample | null> {
  const started = performance.now();
  const outcome = await model.answer(prompt);
  const ms = performance.now() - started;
  if (outcome.kind !== 'rewrite') return null;
  const { answer, decoded, regionTokens, promptTokens } = outcome.rewrite;
  const peerMs = peer === null ? null : await peerTime(model, prompt, regionTokens, peer);
  const edited = answer.kind === 'rewritten';
  return { ms, peerMs, edited, decoded: decoded.length / Math.max(1, regionTokens), promptTokens };
}

async function peerTime(model: NextEditModel, { parts }: ReadyPrompt, regionTokens: number, peer: LlamaServer) {
  const tokens: number[] = [];
  for (const part of parts) tokens.push(...(typeof part === 'number' ? [part] : await model.engine.tokenize(part)));
  const started = performance.now();
  await peer.complete(tokens, 2 * regionTokens);
  return performance.now() - started;
}

/** Typing along: the second request finds what the first one evaluated, if it is still there. */
async function completionMs(model: NextEditModel, place: number, typed: number): Promise<number> {
  const { fim } = model.facts;
  if (fim === null || fim.middle === null) return 0;
  const prefix = `// ${place}\n${COMPLETION}${'name'.slice(0, typed)}`;
  const prompt = [fim.prefix, prefix, fim.suffix, '\n}\n', fim.middle];
  const started = performance.now();
  await model.engine.generate(
    { prompt, sectionBoundaries: [prompt.length], maxTokens: COMPLETION_TOKENS },
    () => undefined,
    new AbortController().signal,
  );
  return performance.now() - started;
}

/** Null where no llama-server is built: then only our figures are there. */
async function startPeer(
  { facts, flavour }: NextEditModel,
  model: string,
  progress: (text: string) => void,
): Promise<LlamaServer | null> {
  try {
    const { threads } = facts;
    return await LlamaServer.start({ flavour, model, threads, contextLength: CONTEXT_LENGTH, reuse: true });
  } catch (error) {
    progress(`without llama-server: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function middle(values: readonly number[]): number {
  return values.length === 0 ? 0 : round(median(values), 2);
}
