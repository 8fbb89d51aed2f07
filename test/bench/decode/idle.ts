import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { anchorIn } from '../../support/code/fixtures.js';
import { Editor } from '../../support/servers/editor.js';
import { threadsCpuMs } from '../../support/servers/process-cpu.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { Benchmark, BenchmarkOptions } from '../measure/benchmark.js';
import { loadEngine, untilCalibrated } from '../measure/engine-under-test.js';
import { median, round } from '../measure/statistics.js';
import { LlamaServer } from '../peer/llama-server.js';

const DOCUMENT = resolve(REPOSITORY_ROOT, 'test/fixtures/bench/shift-planner.ts');
const BEHIND = '  unassign(shiftId: string): boolean {\n';
const WATCHED_MS = 1000;
const PROMPT_TOKENS = 400;
const GENERATED_TOKENS = 32;
const CONTEXT_LENGTH = 2048;
/** The engine measures costs in the pauses after some answers. That is work, and the median leaves it out. */
const SETTLE_MS = 2000;

/** Processor time that a process takes in the second after `answered`. */
async function cpuMsAfter(pid: number, answered: () => Promise<unknown>): Promise<number> {
  await answered();
  const before = threadsCpuMs(pid);
  await delay(WATCHED_MS);
  return threadsCpuMs(pid) - before;
}

/** The engine in this process, and llama-server, in turns. */
async function measureEngines({ model, threads, runs, progress }: BenchmarkOptions) {
  const own = await loadEngine({ path: model, contextLength: CONTEXT_LENGTH, threads });
  const shared = { flavour: own.flavour, model, threads: own.facts.threads, contextLength: CONTEXT_LENGTH };
  const server = await LlamaServer.start(shared);
  try {
    await untilCalibrated(own);
    const text = [...(await own.engine.tokenize(readFileSync(DOCUMENT, 'utf8'))).subarray(0, PROMPT_TOKENS)];
    const ours: number[] = [];
    const peer: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const prompt = [1000 + run, ...text];
      const request = { prompt, maxTokens: GENERATED_TOKENS } as const;
      ours.push(await cpuMsAfter(process.pid, () => own.engine.generate(request).result));
      peer.push(await cpuMsAfter(server.pid, () => server.complete(prompt, GENERATED_TOKENS)));
      progress(`run ${run + 1} of ${runs}: ours ${ours[run]?.toFixed(1)} ms, llama-server ${peer[run]?.toFixed(1)} ms`);
    }
    return { ours, peer, description: own.description };
  } finally {
    await server.stop();
    await own.engine.close();
  }
}

/** The whole language server. It also prepares the next key in that second, and may look for a next edit. */
async function measureServer(
  { threads, runs, progress }: BenchmarkOptions,
  nextEditMode: 'off' | 'calm',
): Promise<number[]> {
  const server = new ServerProcess();
  try {
    await server.initialize({ threads, nextEditMode, showsNextEdits: true }, 'file:///bench');
    await server.waitForState('ready');
    const text = readFileSync(DOCUMENT, 'utf8');
    const offset = anchorIn(text, BEHIND) + BEHIND.length;
    const editor = await Editor.open(server, '/bench/idle.ts', 'typescript', text, offset);
    const used: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      await delay(SETTLE_MS);
      await editor.insert(run === 0 ? '    const value0 = ' : `1;\n    const value${run} = `);
      used.push(await cpuMsAfter(server.pid, () => editor.ask()));
      progress(`run ${run + 1} of ${runs}: the language server ${used[run]?.toFixed(1)} ms`);
    }
    return used;
  } finally {
    await server.dispose();
  }
}

async function run(options: BenchmarkOptions) {
  const { ours, peer, description } = await measureEngines(options);
  const server = await measureServer(options, 'off');
  const looking = await measureServer(options, 'calm');
  const each = (values: readonly number[]): number[] => values.map((value) => round(value, 1));
  return {
    ours_ms: round(median(ours), 1),
    peer_ms: round(median(peer), 1),
    language_server_ms: round(median(server), 1),
    language_server_with_next_edits_ms: round(median(looking), 1),
    ours_ms_runs: each(ours),
    peer_ms_runs: each(peer),
    language_server_ms_runs: each(server),
    language_server_with_next_edits_ms_runs: each(looking),
    runs: options.runs,
    ...description,
  };
}

export const idle: Benchmark = {
  name: 'idle',
  summary: 'processor time in the second after an answer, here and in llama-server',
  defaultRuns: 7,
  run,
};
