import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { anchorIn } from '../../support/code/fixtures.js';
import { Editor } from '../../support/servers/editor.js';
import { processCpuMs } from '../../support/servers/process-cpu.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { Benchmark, BenchmarkOptions } from '../measure/benchmark.js';
import { median, round } from '../measure/statistics.js';

const DOCUMENT = resolve(REPOSITORY_ROOT, 'test/fixtures/bench/shift-planner.ts');
const BEHIND = '  unassign(shiftId: string): boolean {\n';
const KEYS = 300;
const KEY_INTERVAL_MS = 10;
/** Letters that no suggestion begins with, so that no key continues the answer to an earlier key. */
const LETTERS = 'zqxjvkwy';
/** The processor must be idle this long after the last answer. */
const SETTLE_MS = 200;
const WATCHED_MS = 300;

interface Storm {
  readonly undisturbedMs: number;
  readonly afterStormMs: number;
  /** Share of one core, from 200 ms after the last answer on. */
  readonly idleCpuShare: number;
}

/** Types without a pause, so that each key cancels the request before it, then waits for the last answer. */
async function storm(threads: number): Promise<Storm> {
  const server = new ServerProcess();
  try {
    // Looking for a next edit takes the pause after a key: that is wanted work, not stale work.
    await server.initialize({ threads, timeBudgetMs: 10_000, nextEditMode: 'off' }, 'file:///bench');
    await server.waitForState('ready');
    const text = readFileSync(DOCUMENT, 'utf8');
    const editor = await Editor.open(
      server,
      '/bench/storm.ts',
      'typescript',
      text,
      anchorIn(text, BEHIND) + BEHIND.length,
    );
    await lastAnswer(editor, '    const first = ');
    const undisturbed = [];
    for (const word of ['second', 'third']) undisturbed.push(await lastAnswer(editor, `1;\n    const ${word} = `));
    // No more lines than an anchor keeps: moving it in idle time is work for the next key, not stale work.
    await editor.insert('1; ');
    for (let key = 0; key < KEYS; key += 1) {
      await editor.insert(LETTERS[key % LETTERS.length] ?? 'z');
      void editor.ask();
      await delay(KEY_INTERVAL_MS);
    }
    await editor.deleteBack(KEYS);
    const afterStormMs = await lastAnswer(editor, 'const fifth = ');
    await delay(SETTLE_MS);
    const before = processCpuMs(server.pid);
    await delay(WATCHED_MS);
    const idleCpuShare = (processCpuMs(server.pid) - before) / WATCHED_MS;
    return { undisturbedMs: median(undisturbed), afterStormMs, idleCpuShare };
  } finally {
    await server.dispose();
  }
}

/** Types a text at once and measures the time to its answer. */
async function lastAnswer(editor: Editor, text: string): Promise<number> {
  for (const key of text) await editor.insert(key);
  const answer = await editor.ask();
  if (answer === null) throw new Error('The last request was not answered');
  await delay(SETTLE_MS * 2);
  return answer.latencyMs;
}

async function run({ runs, threads, progress }: BenchmarkOptions) {
  const storms: Storm[] = [];
  for (let index = 0; index < runs; index += 1) {
    const each = await storm(threads);
    storms.push(each);
    progress(
      `run ${index + 1} of ${runs}: ${each.undisturbedMs.toFixed(0)} ms, after the storm ${each.afterStormMs.toFixed(0)} ms`,
    );
  }
  const middle = (value: (each: Storm) => number, digits: number): number => round(median(storms.map(value)), digits);
  return {
    keys: KEYS,
    undisturbed_ms: middle(({ undisturbedMs }) => undisturbedMs, 1),
    after_storm_ms: middle(({ afterStormMs }) => afterStormMs, 1),
    storm_ratio: middle(({ undisturbedMs, afterStormMs }) => afterStormMs / undisturbedMs, 2),
    idle_cpu_share: middle(({ idleCpuShare }) => idleCpuShare, 3),
    runs,
  };
}

export const cancelStorm: Benchmark = {
  name: 'cancel-storm',
  summary: '300 keys at 10 ms, each cancelling the last: how soon the next answer comes, and whether work is left',
  defaultRuns: 5,
  run,
};
