import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Ends by itself, so that none outlives a benchmark that was killed. */
const LOOP = 'const end = Date.now() + 600_000; while (Date.now() < end);';

/** One process for each processor that computes without end, as a build does. */
export class BusyProcesses {
  readonly #processes: ChildProcess[] = [];

  constructor(count = availableParallelism()) {
    for (let index = 0; index < count; index += 1) {
      this.#processes.push(spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }));
    }
  }

  stop(): void {
    for (const each of this.#processes) each.kill('SIGKILL');
  }
}
