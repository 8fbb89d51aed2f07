import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isRecord, isText } from '../../../protocol/index.js';
import { type GpuDevice, parseDevices, parseTrial, type Trial } from './gpu-device.js';

export interface ProbeOptions {
  /** The server's own program, which probes devices when it is started with `--devices`. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  /** How long the drivers may take to start, and then each device for its trial. */
  readonly limitMs?: number;
  /** Has drivers that compute on the processor tried as well. */
  readonly triesAll?: boolean;
  /** Ends the probe. */
  readonly signal: AbortSignal;
}

export interface ProbeResult {
  readonly devices: readonly GpuDevice[];
  /** Why there is no device, or not every one; null where all is well. For the log. */
  readonly problem: string | null;
}

/** Drivers compile their kernels at the first use: llvmpipe takes 2 s, slow GPUs more. */
const LIMIT_MS = 30_000;
/** Each broken device costs a process. */
const MOST_PROCESSES = 4;
const LAST_WORDS = 500;
/** A driver that computes on the processor: only a user who names it wants it, and a trial takes seconds. */
const NEVER_TRIED: GpuDevice['kind'] = 'cpu';

/** How one process ended, and what it said until then. */
interface Run {
  readonly listed: readonly unknown[] | null;
  readonly trials: ReadonlyMap<string, Trial>;
  /** The device that it was trying at its end. */
  readonly trying: string | null;
  /** Null where it came to its end by itself. */
  readonly problem: string | null;
}

/** Lists and tries the devices of this machine in another process. Never rejects: what goes wrong costs a device. */
export async function probeDevices(options: ProbeOptions): Promise<ProbeResult> {
  const trials = new Map<string, Trial>();
  for (let count = 1; ; count += 1) {
    const run = await runProbe(options, [...trials.keys(), ...(options.triesAll ? [] : [NEVER_TRIED])]);
    for (const [id, trial] of run.trials) trials.set(id, trial);
    if (run.trying !== null && run.problem !== null) trials.set(run.trying, { kind: 'failed', reason: run.problem });
    const isOver = run.problem === null || run.trying === null || options.signal.aborted || count === MOST_PROCESSES;
    if (isOver) return { devices: withTrials(run.listed ?? [], trials), problem: run.problem };
  }
}

function withTrials(listed: readonly unknown[], trials: ReadonlyMap<string, Trial>): readonly GpuDevice[] {
  const notReached: Trial = { kind: 'failed', reason: 'was not tried' };
  const tried = listed.map((device) => {
    if (!isRecord(device) || !isText(device.id)) return null;
    const otherwise: Trial = device.kind === NEVER_TRIED ? { kind: 'untried' } : notReached;
    return { ...device, trial: trials.get(device.id) ?? otherwise };
  });
  return parseDevices(tried) ?? [];
}

async function runProbe(
  { program, environment, limitMs, signal }: ProbeOptions,
  skip: readonly string[],
): Promise<Run> {
  const child = fork(program, ['--devices', `--skip=${skip.join(',')}`], {
    env: environment,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let isOver = false;
  const kill = (): void => {
    isOver = true;
    child.kill('SIGKILL');
  };
  const limit = setTimeout(kill, limitMs ?? LIMIT_MS);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  let listed: readonly unknown[] | null = null;
  let trying: string | null = null;
  const trials = new Map<string, Trial>();
  const hear = (line: string): void => {
    const said = parseLine(line);
    if (Array.isArray(said.devices)) listed = said.devices;
    if (isText(said.trying)) {
      trying = said.trying;
      limit.refresh();
    }
    const trial = parseTrial(said.trial);
    if (!isText(said.tried) || trial === null) return;
    trials.set(said.tried, trial);
    trying = null;
  };
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', hear);
  const problem = await endOf(child, () => isOver);
  clearTimeout(limit);
  signal.removeEventListener('abort', kill);
  return { listed, trials, trying, problem };
}

/** Null for an orderly end. */
function endOf(child: ChildProcess, isOver: () => boolean): Promise<string | null> {
  let lastWords = '';
  child.stderr?.on('data', (words: Buffer) => {
    lastWords = (lastWords + words.toString()).slice(-LAST_WORDS);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, endedBy) => {
      if (isOver()) resolve('took too long');
      else resolve(code === 0 ? null : `ended with ${endedBy ?? code}: ${lastWords.trim()}`);
    });
  });
}

/** Empty for what is no line of ours: drivers write to stdout, too. */
function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const said: unknown = JSON.parse(line);
    return isRecord(said) ? said : {};
  } catch {
    return {};
  }
}
