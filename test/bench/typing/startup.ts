import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { STARTER_MODEL } from '../../support/addon.js';
import { cursorFixture } from '../../support/code/cursor-fixture.js';
import { positionIn } from '../../support/code/text-position.js';
import { repositoryRoot, ServerProcess } from '../../support/servers/server-process.js';
import type { Benchmark, BenchmarkOptions } from '../measure/benchmark.js';
import { loadEngine } from '../measure/engine-under-test.js';
import { median, round } from '../measure/statistics.js';

const DOCUMENT = resolve(repositoryRoot, 'test/fixtures/bench/price-list.ts');
const PATIENCE_MS = 120_000;

interface Measurement {
  readonly readyMs: number;
  readonly completionMs: number;
  readonly promptTokens: number;
}

/**
 * From the server's start to its first suggestion over stdio. The client opens a document and asks at once. Until the
 * model is ready the server answers with nothing, and the client asks again after the status says ready.
 */
async function measure(threads: number): Promise<Measurement> {
  const { text, offset } = cursorFixture(readFileSync(DOCUMENT, 'utf8'));
  const uri = pathToFileURL(DOCUMENT).href;
  const position = positionIn(text, offset);
  const server = new ServerProcess();
  try {
    await server.initialize({ threads }, pathToFileURL(repositoryRoot).href);
    await server.open(uri, 'typescript', text);
    let readyAt: number | null = null;
    const ready = server.waitForState('ready', PATIENCE_MS).then(() => {
      readyAt = performance.now();
    });
    // A suggestion may come before the awaited status: the very first request may wait for the model.
    ready.catch(() => undefined);

    let items = await server.complete(uri, position);
    if (items.length === 0) {
      await ready;
      items = await server.complete(uri, position);
    }
    const completedAt = performance.now();
    if (items.length === 0) throw new Error(`nothing was suggested: ${server.logs.slice(-5).join(' | ')}`);
    await ready;
    const { lastCompletion } = await server.status();
    await server.shutdown();
    return {
      readyMs: Math.min(readyAt ?? completedAt, completedAt) - server.spawnedAt,
      completionMs: completedAt - server.spawnedAt,
      promptTokens: lastCompletion?.promptTokens ?? 0,
    };
  } finally {
    await server.dispose();
  }
}

async function run({ runs, threads, progress }: BenchmarkOptions) {
  progress('warming the file cache');
  await measure(threads);
  const measurements: Measurement[] = [];
  for (let index = 0; index < runs; index += 1) {
    // The earlier server may still be freeing its memory.
    await delay(200);
    const each = await measure(threads);
    measurements.push(each);
    progress(
      `run ${index + 1} of ${runs}: ready ${each.readyMs.toFixed(0)} ms, item ${each.completionMs.toFixed(0)} ms`,
    );
  }
  // Loads with the options that the server chooses too.
  const { engine, description } = await loadEngine({ path: STARTER_MODEL, threads });
  await engine.close();
  const ready = measurements.map(({ readyMs }) => round(readyMs, 1));
  const completion = measurements.map(({ completionMs }) => round(completionMs, 1));
  return {
    spawn_to_ready_ms: round(median(ready), 1),
    first_completion_ms: round(median(completion), 1),
    spawn_to_ready_runs_ms: ready,
    first_completion_runs_ms: completion,
    runs,
    prompt_tokens: measurements[0]!.promptTokens,
    ...description,
  };
}

export const startup: Benchmark = {
  name: 'startup',
  summary: "the language server's start to ready, and to the first suggestion (milliseconds, medians)",
  defaultRuns: 7,
  run,
};
