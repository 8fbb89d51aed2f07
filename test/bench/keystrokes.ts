import { availableParallelism } from 'node:os';
import { openAddon } from '../support/addon.js';
import { ServerProcess, starterModel } from '../support/server-process.js';
import type { Benchmark, BenchmarkOptions } from './benchmark.js';
import { type InfillAnswer, infill } from './infill.js';
import { LlamaServer } from './llama-server.js';
import { percentile, round } from './statistics.js';
import { type ReplayedRequest, replay } from './typing-replay.js';
import type { TypingTrace } from './typing-trace.js';
import { typingTraces } from './typing-traces.js';

const CONTEXT_LENGTH = 4096;
/** Each takes the peer nearly a second. */
const PEER_REQUESTS_A_TRACE = 24;

interface TraceResult {
  readonly ours: readonly ReplayedRequest[];
  readonly peer: readonly InfillAnswer[];
  readonly acceptedCharacters: number;
  readonly typedCharacters: number;
}

/** The server as an editor starts it, with the default time budget. */
async function replayOurs(trace: TypingTrace, threads: number) {
  const server = new ServerProcess();
  try {
    await server.initialize({ threads }, 'file:///bench');
    await server.waitForState('ready');
    return await replay(server, trace);
  } finally {
    await server.dispose();
  }
}

async function run({ runs, threads, progress }: BenchmarkOptions) {
  const results: TraceResult[] = [];
  for (let index = 0; index < runs; index += 1) {
    for (const trace of typingTraces()) {
      progress(`run ${index + 1} of ${runs}: typing ${trace.name} in real time`);
      const { requests, acceptedCharacters, typedCharacters } = await replayOurs(trace, threads);
      const peer = await askPeer(requests, threads, progress);
      results.push({ ours: requests, peer, acceptedCharacters, typedCharacters });
    }
  }
  return summarize(results);
}

async function askPeer(
  requests: readonly ReplayedRequest[],
  threads: number,
  progress: (text: string) => void,
): Promise<InfillAnswer[]> {
  // In order and without gaps: each request leaves its state in the cache for the next.
  const asked = requests.slice(0, PEER_REQUESTS_A_TRACE);
  progress(`llama-server: the first ${asked.length} requests of the same trace`);
  const { flavour } = openAddon(process.env.INKLING_CPU_FLAVOUR);
  const server = await LlamaServer.start({
    flavour,
    model: starterModel,
    threads: threads === 0 ? availableParallelism() : threads,
    contextLength: CONTEXT_LENGTH,
    reuse: true,
  });
  const answers: InfillAnswer[] = [];
  try {
    for (const { text, offset } of asked) answers.push(await infill(server.address, text, offset));
  } finally {
    await server.stop();
  }
  return answers;
}

function summarize(results: readonly TraceResult[]) {
  const requests = results.flatMap(({ ours }) => ours);
  const answers = requests.flatMap(({ answer }) => (answer === null ? [] : [answer]));
  // Leaves out requests that the trigger policy refuses: they cost nothing and would improve the figures.
  const wanted = answers.filter(({ reason }) => reason === null || reason === 'filtered');
  const peer = results.flatMap((each) => each.peer);
  const reused = wanted.filter(({ source, evaluated }) => evaluated === 0 && source !== 'engine');
  const latencies = wanted.map(({ latencyMs }) => latencyMs);
  const peerLatencies = peer.map(({ firstTextMs }) => firstTextMs);
  const accepted = sum(results.map(({ acceptedCharacters }) => acceptedCharacters));
  const typed = sum(results.map(({ typedCharacters }) => typedCharacters));
  const [ourMedian, peerMedian] = [percentile(latencies, 0.5), percentile(peerLatencies, 0.5)];
  return {
    ours: {
      p50_ms: round(ourMedian, 1),
      p90_ms: round(percentile(latencies, 0.9), 1),
      tokens_evaluated_p50: percentile(
        wanted.map(({ evaluated }) => evaluated),
        0.5,
      ),
      reuse_hit_rate: round(reused.length / wanted.length, 3),
      requests: requests.length,
      answered: wanted.length,
      overtaken: requests.length - answers.length,
      shown: wanted.filter(({ shown }) => shown).length,
      accepted_characters: round(accepted / (accepted + typed), 3),
    },
    peer: {
      p50_ms: round(peerMedian, 1),
      p90_ms: round(percentile(peerLatencies, 0.9), 1),
      tokens_evaluated_p50: percentile(
        peer.map(({ promptTokens, generatedTokens }) => promptTokens + generatedTokens),
        0.5,
      ),
      reuse_hit_rate: round(peer.filter(({ promptTokens }) => promptTokens <= 8).length / peer.length, 3),
      requests: peer.length,
    },
    ratio_p50: round(peerMedian / ourMedian, 1),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const keystrokes: Benchmark = {
  name: 'keystrokes',
  summary: 'typing traces through the built server, and the same requests through llama-server /infill',
  defaultRuns: 1,
  run,
};
