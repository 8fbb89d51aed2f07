import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MemorySummary } from '../../../server/protocol/index.js';
import { Editor } from '../../support/servers/editor.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { type BenchmarkFields, type BenchmarkOptions, prefixed } from '../measure/benchmark.js';

/** Languages with a grammar of their own each, the first one alone first. */
const DOCUMENTS = [
  ['typescript', 'test/fixtures/bench/shift-planner.ts'],
  ['python', 'test/fixtures/bench/ledger.py'],
  ['cpp', 'test/fixtures/sources/native/engine/memory_report.cpp'],
  ['c', 'test/fixtures/sources/native/engine/evaluation_trail.h'],
  ['java', 'test/fixtures/workbench/Settings.java'],
] as const;

const KEYS = 100;
const TYPED = 'const total = items.reduce((sum, item) => sum + item.price, 0);\n';
/** The server measures the model once (first-measurement.ts). */
const MEASURED_MS = 10_000;
/** Garbage goes after a minute (memory-monitor.ts). */
const RESTED_MS = 75_000;

/** Of what is mapped, by what it is. The program is shared with other processes of the same one. */
function mappedBytes(pid: number): Readonly<Record<string, number>> {
  const sums = { rss: 0, program: 0, addon: 0, model: 0, other_files: 0, anonymous: 0 };
  let kind: keyof typeof sums = 'anonymous';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (mapping !== null) kind = kindOf(mapping[1] ?? '');
    const [, field, kilobytes] = /^(Rss|Anonymous):\s+(\d+) kB$/.exec(line) ?? [];
    const bytes = Number(kilobytes) * 1024;
    if (field === 'Rss') {
      sums.rss += bytes;
      sums[kind] += bytes;
    }
    // What a process has written to of a file is its own.
    if (field === 'Anonymous' && kind !== 'anonymous') {
      sums[kind] -= bytes;
      sums.anonymous += bytes;
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([name, bytes]) => [`${name}_bytes`, bytes]));
}

function kindOf(file: string): 'program' | 'addon' | 'model' | 'other_files' | 'anonymous' {
  if (!file.startsWith('/')) return 'anonymous';
  if (file === process.execPath) return 'program';
  if (file.endsWith('.node')) return 'addon';
  return file.endsWith('.gguf') ? 'model' : 'other_files';
}

/** As the engine reports it: weights, contexts and caches. */
function engineBytes(memory: MemorySummary): number {
  const { weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes, checkpointBytes, swappedBytes, computeBytes } =
    memory;
  return weightsBytes + mtpWeightsBytes + kvBytes + recurrentBytes + checkpointBytes + swappedBytes + computeBytes;
}

/** A server in which so many languages were typed in, all documents open. */
async function afterKeys(
  { model, threads, progress }: BenchmarkOptions,
  documents: readonly (readonly [languageId: string, file: string])[],
): Promise<BenchmarkFields> {
  const folder = mkdtempSync(path.join(tmpdir(), 'inkling-bench-'));
  // The extension starts it with the second variable (extension/src/client/language-client.ts).
  const server = new ServerProcess({ environment: { INKLING_STATE_DIR: folder, MALLOC_ARENA_MAX: '2' } });
  try {
    await server.initialize({ threads, modelPath: model }, 'file:///bench');
    await server.waitForState('ready', 120_000);
    const ready = mappedBytes(server.pid);
    await delay(MEASURED_MS);
    for (const [languageId, file] of documents) {
      const text = readFileSync(path.join(REPOSITORY_ROOT, file), 'utf8');
      const editor = await Editor.open(server, `/bench/${path.basename(file)}`, languageId, text, text.length);
      for (let key = 0; key < KEYS / documents.length; key += 1) {
        await editor.insert(TYPED[key % TYPED.length]!);
        await editor.ask();
      }
    }
    const typed = mappedBytes(server.pid);
    progress(`${documents.length} languages typed; a minute of rest follows`);
    await delay(RESTED_MS);
    const { memory } = await server.status();
    if (memory === null) throw new Error('the server does not say what it holds');
    return {
      rss_ready_bytes: ready.rss_bytes!,
      rss_typed_bytes: typed.rss_bytes!,
      ...mappedBytes(server.pid),
      engine_bytes: engineBytes(memory),
      engine_caches_bytes: memory.checkpointBytes + memory.swappedBytes,
    };
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The whole language server, as the status bar shows it. */
export async function measureServer(options: BenchmarkOptions): Promise<BenchmarkFields> {
  return {
    ...prefixed('one_language', await afterKeys(options, DOCUMENTS.slice(0, 1))),
    ...prefixed('five_languages', await afterKeys(options, DOCUMENTS)),
  };
}
