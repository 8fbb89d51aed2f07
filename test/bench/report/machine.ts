import { execFileSync } from 'node:child_process';
import os from 'node:os';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';

/** The machine and the version that a measurement is from. */
export function describeMachine(): BenchmarkFields {
  const processors = os.cpus();
  return {
    commit: commit(),
    date: new Date().toISOString(),
    machine: `${processors[0]?.model.trim() || 'unknown processor'}, ${os.availableParallelism()} cores`,
    platform: `${process.platform}-${process.arch}`,
    memory_gib: round(os.totalmem() / 2 ** 30, 1),
    node: process.version,
    // Of the minute before the measurement: if it exceeds the number of cores, the figures are unreliable.
    load_average: round(os.loadavg()[0] ?? 0, 2),
  };
}

/** The current commit, marked if tracked files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no').trim() !== '';
    return git('rev-parse', '--short=12', 'HEAD').trim() + (changed ? '+changes' : '');
  } catch {
    return 'unknown';
  }
}
