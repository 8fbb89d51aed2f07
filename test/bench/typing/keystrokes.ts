import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openAddon } from '../../support/addon.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import type { Benchmark, BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { percentile, round } from '../measure/statistics.js';
import { LlamaServer } from '../peer/llama-server.js';
import { heldOutMissing } from '../samples/held-out-files.js';
import { type HeldOutPlace, heldOutPlaces, REPORTED_REPOSITORIES, REPORTED_SEED } from '../samples/held-out-places.js';
import { type InfillAnswer, infill } from '../samples/infill.js';
import { type Pace, type Replay, type ReplayedRequest, replay } from './typing-replay.js';
import { type TypingTrace, typingTrace } from './typing-trace.js';
import { typingTraces } from './typing-traces.js';

const CONTEXT_LENGTH = 4096;
/** Typed again in the held-out parts; what was measured earlier had the same. */
const REPORTED_PLACES = 16;
/** Large models take a while. */
const LOAD_LIMIT_MS = 120_000;
/** Each takes the peer nearly a second. */
const PEER_REQUESTS_A_TRACE = 24;

const SLOW_TYPISTS = 4;
/** Ten lines of files that the model does not know, at each pace. */
const HELD_OUT_PARTS: Readonly<Record<string, Pace>> = {
  'held-out': 'real',
  'held-out-fast': 'fast',
  'held-out-slow': 'slow',
};

interface TraceResult {
  readonly ours: readonly ReplayedRequest[];
  readonly peer: readonly InfillAnswer[];
  readonly acceptedCharacters: number;
  readonly typedCharacters: number;
}

/** The server as an editor starts it, with the default time budget. */
async function replayOurs(
  trace: TypingTrace,
  { threads, eagerness, model, device }: BenchmarkOptions,
  pace: Pace = 'real',
): Promise<Replay> {
  // Servers of tests look for no GPU unless their driver is named.
  const environment = device === null ? {} : { VK_DRIVER_FILES: process.env.VK_DRIVER_FILES };
  const server = new ServerProcess({ environment });
  try {
    await server.initialize({ modelPath: model, threads, eagerness, device: device ?? 'cpu' }, 'file:///bench');
    await server.waitForState('ready', LOAD_LIMIT_MS);
    if (device !== null) await untilOnGpu(server);
    return await replay(server, trace, pace);
  } finally {
    await server.dispose();
  }
}

/** A model loads for the processor while the server looks for devices, and then again. */
async function untilOnGpu(server: ServerProcess): Promise<void> {
  const deadline = performance.now() + LOAD_LIMIT_MS;
  for (let status = await server.status(); (status.memory?.gpus.length ?? 0) === 0; status = await server.status()) {
    if (performance.now() > deadline) throw new Error('the model was not loaded on a GPU');
    await delay(100);
  }
  await server.waitForState('ready', LOAD_LIMIT_MS);
}

async function run(options: BenchmarkOptions) {
  const { runs, part, progress } = options;
  const pace = part === null ? undefined : HELD_OUT_PARTS[part];
  if (pace !== undefined) return runHeldOut(options, pace);
  const results: TraceResult[] = [];
  for (let index = 0; index < runs; index += 1) {
    for (const trace of typingTraces()) {
      progress(`run ${index + 1} of ${runs}: typing ${trace.name} in real time`);
      const { requests, acceptedCharacters, typedCharacters } = await replayOurs(trace, options);
      const peer = await askPeer(requests, options);
      results.push({ ours: requests, peer, acceptedCharacters, typedCharacters });
    }
  }
  return summarize(results);
}

/** Ten lines of files that the model does not know, typed again key by key; no peer. `--runs` takes fewer places. */
async function runHeldOut(options: BenchmarkOptions, pace: Pace): Promise<BenchmarkFields> {
  const { runs, eagerness, progress } = options;
  const missing = heldOutMissing();
  if (missing !== null) return { skipped: missing };
  const all = heldOutPlaces(REPORTED_REPOSITORIES, REPORTED_PLACES, REPORTED_SEED);
  const places = runs > 1 ? all.slice(0, runs) : all;
  const replays: Replay[] = [];
  const replayPlace = async ({ path, languageId, before, passage, after }: HeldOutPlace): Promise<void> => {
    const source = before + passage + after;
    const trace = typingTrace(path, languageId, source, [{ behind: before, text: passage }]);
    replays.push(await replayOurs(trace, options, pace));
    progress(`${replays.length} of ${places.length} places: ${JSON.stringify(summarizeShown(replays))}`);
  };
  // Slow keys leave the machine idle, so several people type.
  const together = pace === 'slow' ? SLOW_TYPISTS : 1;
  for (let at = 0; at < places.length; at += together) {
    await Promise.all(places.slice(at, at + together).map(replayPlace));
  }
  return { places: places.length, eagerness, pace, ...summarizeShown(replays), ...summarizeLatencies(replays) };
}

/** What stood on the screen, how much of it was right, and what the user took of it. */
function summarizeShown(replays: readonly Replay[]) {
  const requests = replays.flatMap((each) => each.requests);
  const shown = requests.filter(({ ghost }) => ghost !== null);
  // A suggestion that grows or stays while the user types counts once, and is right if it never was wrong.
  const outcomes = replays.flatMap((each) => {
    const byId = new Map<number | null, boolean>();
    for (const { ghost } of each.requests) {
      if (ghost !== null && ghost.right !== null) byId.set(ghost.id, ghost.right && (byId.get(ghost.id) ?? true));
    }
    return [...byId.values()];
  });
  const accepted = sum(replays.map(({ acceptedCharacters }) => acceptedCharacters));
  const typed = sum(replays.map(({ typedCharacters }) => typedCharacters));
  return {
    keys: requests.length,
    shown_share: round(shown.length / requests.length, 3),
    suggestions: outcomes.length,
    suggestion_precision: round(outcomes.filter((right) => right).length / Math.max(1, outcomes.length), 3),
    accepted_characters: round(accepted / Math.max(1, accepted + typed), 3),
  };
}

function summarizeLatencies(replays: readonly Replay[]) {
  const answers = replays.flatMap(({ requests }) => answersTo(requests));
  const latencies = latenciesOf(answers);
  // At the first key of a file, its prompt may not be evaluated yet.
  const later = latenciesOf(replays.flatMap(({ requests }) => answersTo(requests.slice(1))));
  return {
    p50_ms: round(percentile(latencies, 0.5), 1),
    p90_ms: round(percentile(latencies, 0.9), 1),
    p99_from_second_key_ms: round(percentile(later, 0.99), 1),
    overtaken: sum(replays.map(({ requests }) => requests.length)) - answers.length,
  };
}

function answersTo(requests: Replay['requests']) {
  return requests.flatMap(({ answer }) => (answer === null ? [] : [answer]));
}

function latenciesOf(answers: ReturnType<typeof answersTo>): readonly number[] {
  return answers.filter(({ reason }) => isWanted(reason)).map(({ latencyMs }) => latencyMs);
}

async function askPeer(
  requests: readonly ReplayedRequest[],
  { threads, model, device, progress }: BenchmarkOptions,
): Promise<InfillAnswer[]> {
  // In order and without gaps: each request leaves its state in the cache for the next.
  const asked = requests.slice(0, PEER_REQUESTS_A_TRACE);
  progress(`llama-server: the first ${asked.length} requests of the same trace`);
  const flavour = device === null ? openAddon(process.env.INKLING_CPU_FLAVOUR).flavour : 'vulkan';
  const server = await LlamaServer.start({
    flavour,
    model,
    threads: threads === 0 ? availableParallelism() : threads,
    contextLength: CONTEXT_LENGTH,
    device,
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
  const wanted = answers.filter(({ reason }) => isWanted(reason));
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

function isWanted(reason: string | null): boolean {
  return reason === null || reason === 'filtered' || reason === 'unsure';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const keystrokes: Benchmark = {
  name: 'keystrokes',
  summary: 'typing traces through the built server, and the same requests through llama-server /infill',
  onDevices: true,
  defaultRuns: 1,
  parts: Object.keys(HELD_OUT_PARTS),
  run,
};
