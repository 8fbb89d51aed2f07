import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { anchorIn } from '../../support/code/fixtures.js';
import { Editor } from '../../support/servers/editor.js';
import type { ServerProcess } from '../../support/servers/server-process.js';
import { UserPlace } from '../../support/servers/user-place.js';
import type { Benchmark, BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { median, percentile, round } from '../measure/statistics.js';
import { replay } from './typing-replay.js';
import type { TypingTrace } from './typing-trace.js';
import { typingTraces } from './typing-traces.js';

const PATIENCE_MS = 120_000;
const SETTLE_MS = 3_000;
/** Keys that each of two windows gets, in turns. */
const TURNS = 40;

/** Who types: the only window, the one that holds the model, or the one that uses it through the socket. */
type Role = 'alone' | 'owner' | 'guest';
const ROLES: readonly Role[] = ['alone', 'owner', 'guest'];

interface Windows {
  readonly first: ServerProcess;
  readonly second: ServerProcess;
}

/** Two windows of a user, fresh, with the model loaded. The first one owns it if it is shared. */
async function withWindows<T>(
  { model, threads, eagerness }: BenchmarkOptions,
  engineShare: 'on' | 'off',
  use: (windows: Windows) => Promise<T>,
): Promise<T> {
  const place = new UserPlace();
  const start = async () => {
    const server = place.start();
    const settings = { threads, engineShare, eagerness, modelPath: model, timeBudgetMs: 60_000 };
    await server.initialize(settings, 'file:///bench');
    await server.waitForState('ready', PATIENCE_MS);
    return server;
  };
  try {
    const [first, second] = [await start(), await start()];
    // The engine measures its costs in the first pause.
    await delay(SETTLE_MS);
    const result = await use({ first, second });
    // After half a message of a killed server, the client's library waits for the rest for ever.
    await second.shutdown();
    await first.shutdown();
    return result;
  } finally {
    await place.dispose();
  }
}

/** Milliseconds of the answers that the engine had to evaluate something for, by what was asked. */
type Latencies = ReadonlyMap<string, number>;

async function typed(server: ServerProcess, trace: TypingTrace): Promise<Latencies> {
  const { requests } = await replay(server, trace, 'fast');
  const latencies = new Map<string, number>();
  for (const { text, offset, answer } of requests) {
    if (answer !== null && answer.evaluated > 0) latencies.set(`${offset} ${text}`, answer.latencyMs);
  }
  return latencies;
}

function typedAs(role: Role, trace: TypingTrace, options: BenchmarkOptions): Promise<Latencies> {
  return withWindows(options, role === 'alone' ? 'off' : 'on', ({ first, second }) =>
    typed(role === 'guest' ? second : first, trace),
  );
}

/** Two windows type different documents, one key each in turns. */
async function inTurns(options: BenchmarkOptions, engineShare: 'on' | 'off') {
  return withWindows(options, engineShare, async (windows) => {
    const [planner, ledger] = typingTraces() as [TypingTrace, TypingTrace];
    const pairs = [await opened(windows.first, planner), await opened(windows.second, ledger)];
    const latencies: number[] = [];
    const reused: number[] = [];
    /** Answers that needed the engine are new completions in the status. */
    const seen = new Set<string>();
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { server, editor, keys } of pairs) {
        await editor.insert(keys[turn] ?? '');
        const answer = await editor.ask();
        const { lastCompletion } = await server.status();
        const mark = `${server.pid} ${JSON.stringify(lastCompletion)}`;
        if (answer === null || lastCompletion === null || seen.has(mark)) continue;
        seen.add(mark);
        // Nothing is held before the first one.
        if (seen.size <= pairs.length) continue;
        latencies.push(answer.latencyMs);
        reused.push((lastCompletion.reusedTokens ?? 0) / Math.max(1, lastCompletion.promptTokens ?? 0));
      }
    }
    await delay(SETTLE_MS);
    return { latencies, reused, rss: sumOf(windows, 'Rss'), pss: sumOf(windows, 'Pss') };
  });
}

/** A document with the cursor at its first passage, and the keys that come there. */
async function opened(server: ServerProcess, { name, languageId, text, steps }: TypingTrace) {
  const [first] = steps;
  if (first?.kind !== 'jump') throw new Error(`${name} begins with no place`);
  const offset = anchorIn(text, first.behind) + first.behind.length;
  const editor = await Editor.open(server, `/bench/${name}`, languageId, text, offset);
  const keys = steps.flatMap((step) => (step.kind === 'type' ? [step.text] : []));
  return { server, editor, keys };
}

/** Bytes. `Pss` divides pages that both have mapped among them. */
function sumOf({ first, second }: Windows, field: 'Rss' | 'Pss'): number {
  return [first, second].reduce((sum, { pid }) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return sum + Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) * 1024;
  }, 0);
}

/** The same typing in each role, in windows of its own. */
async function typing(options: BenchmarkOptions): Promise<BenchmarkFields> {
  const latencies: Record<Role, number[]> = { alone: [], owner: [], guest: [] };
  /** Guest over alone, for the same question. */
  const ratios: number[] = [];
  for (let index = 0; index < options.runs; index += 1) {
    for (const trace of typingTraces()) {
      const byRole = new Map<Role, Latencies>();
      // Each is first as often as the others.
      for (const role of [...ROLES.slice(index % 3), ...ROLES.slice(0, index % 3)]) {
        const measured = await typedAs(role, trace, options);
        latencies[role].push(...measured.values());
        byRole.set(role, measured);
      }
      for (const [asked, guestMs] of byRole.get('guest') ?? []) {
        const aloneMs = byRole.get('alone')?.get(asked);
        if (aloneMs !== undefined) ratios.push(guestMs / aloneMs);
      }
    }
    options.progress(`run ${index + 1} of ${options.runs}: guest over alone ${median(ratios).toFixed(2)}`);
  }
  return {
    alone_ms: summary(latencies.alone),
    owner_ms: summary(latencies.owner),
    guest_ms: summary(latencies.guest),
    guest_over_alone: round(median(ratios), 2),
    guest_over_alone_pairs: ratios.length,
  };
}

/** Two windows in turns, and their memory then. */
async function turns(options: BenchmarkOptions): Promise<BenchmarkFields> {
  const latencies = { on: [] as number[], off: [] as number[] };
  const reused = { on: [] as number[], off: [] as number[] };
  const memory = { on: { rss: 0, pss: 0 }, off: { rss: 0, pss: 0 } };
  for (let index = 0; index < options.runs; index += 1) {
    for (const share of index % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      const result = await inTurns(options, share);
      latencies[share].push(...result.latencies);
      reused[share].push(...result.reused);
      memory[share] = result;
    }
    options.progress(`run ${index + 1} of ${options.runs}: ${Math.round(memory.on.rss / 1e6)} MB shared`);
  }
  return {
    turns_apart_ms: summary(latencies.off),
    turns_shared_ms: summary(latencies.on),
    turns_apart_reused: round(median(reused.off), 2),
    turns_shared_reused: round(median(reused.on), 2),
    rss_apart_bytes: memory.off.rss,
    rss_shared_bytes: memory.on.rss,
    rss_shared_over_apart: round(memory.on.rss / memory.off.rss, 2),
    pss_apart_bytes: memory.off.pss,
    pss_shared_bytes: memory.on.pss,
    pss_shared_over_apart: round(memory.on.pss / memory.off.pss, 2),
  };
}

function summary(values: readonly number[]) {
  return { p50: round(median(values), 1), p90: round(percentile(values, 0.9), 1) };
}

async function run(options: BenchmarkOptions): Promise<BenchmarkFields> {
  if (process.platform !== 'linux') return { skipped: 'memory of other processes is read from /proc' };
  return {
    ...(options.part === 'turns' ? {} : await typing(options)),
    ...(options.part === 'typing' ? {} : await turns(options)),
    runs: options.runs,
    model: options.model,
  };
}

export const sharedEngine: Benchmark = {
  name: 'shared-engine',
  summary: 'two windows with one model, shared and not: memory, and keys through the socket',
  defaultRuns: 3,
  parts: ['typing', 'turns'],
  run,
};
