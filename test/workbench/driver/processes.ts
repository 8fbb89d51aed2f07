import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly commandLine: string;
}

/** All processes below the given one, at any depth. Linux only, like the whole driver. */
export function descendants(pid: number): RunningProcess[] {
  const all = listProcesses();
  const found: RunningProcess[] = [];
  const pending = [pid];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    for (const child of all.filter(({ parentPid }) => parentPid === parent)) {
      found.push(child);
      pending.push(child.pid);
    }
  }
  return found;
}

/** A zombie counts as ended: only its parent has not noticed yet. */
export function isRunning(pid: number): boolean {
  return readProcess(pid) !== undefined;
}

/** @returns the processes that still run at the end of the time */
export async function waitForEnd(pids: readonly number[], timeoutMs: number): Promise<number[]> {
  const deadline = Date.now() + timeoutMs;
  let running = pids.filter(isRunning);
  while (running.length > 0 && Date.now() < deadline) {
    await delay(100);
    running = running.filter(isRunning);
  }
  return running;
}

/** Signals a process (or a group, as a negative number) that may have ended already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function listProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((each) => each !== undefined);
}

function readProcess(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // `pid (name) state parent ...`; a name may contain spaces and parentheses.
    const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parentPid: Number(parentPid), commandLine };
  } catch (error) {
    // It ended between two reads.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
