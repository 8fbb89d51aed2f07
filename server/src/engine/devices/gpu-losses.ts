import { uptime } from 'node:os';
import { join } from 'node:path';
import { type EngineErrorInfo, isCount, isNumber, isRecord, isText, t } from '../../../protocol/index.js';
import { JsonFile } from '../../util/files/json-file.js';
import type { ProcessIdentity } from '../../util/files/process-identity.js';
import { ProcessMarkers } from '../../util/files/process-markers.js';
import type { Log } from '../../util/log.js';
import type { LoadRequest } from '../port/engine.js';
import { type PlanLoad, withDrawback } from '../port/plan-load.js';
import { bootId } from './driver-identity.js';

/** A GPU that was lost to so many processes in a row will be lost to the next one. */
const MOST_IN_A_ROW = 2;

/** It may also be lost now and then, with answers in between. */
const MOST_RECENT = 3;
const RECENT_MS = 60 * 60_000;

/** Without an id, the start of the machine is computed from a clock that may be set meanwhile. */
const SAME_START_MS = 60_000;

/** A driver that was idle for so long is not what a process died of. */
const IDLE_MS = 30_000;

export interface GpuLossesOptions {
  /** Null remembers nothing beyond this process. */
  readonly stateDirectory: string | null;
  readonly log: Log;
  readonly idleMs?: number;
  /** Milliseconds since the machine started. All its processes count the same. */
  readonly now?: () => number;
  /** The start of the machine, in milliseconds. */
  readonly startedAt?: number;
  /** Names the present start of the machine; null where the system has no such name. */
  readonly bootId?: string | null;
  /** The process that works with the GPU; this one by default. */
  readonly process?: ProcessIdentity;
}

interface Losses {
  /** Processes in a row that lost the GPU. */
  readonly inARow: number;
  /** The times of recent losses, in milliseconds since the machine started. The last one stays. */
  readonly times: readonly number[];
}

/** A start of the machine. Two are compared by their ids if both have one. */
interface MachineStart {
  readonly startedAt: number;
  readonly bootId: string | null;
}

/** A process works with a GPU. */
interface Work extends MachineStart {
  readonly begunAt: number;
}

const NONE: Losses = { inARow: 0, times: [] };

/**
 * Counts the processes that lost the GPU. While one loads a model onto a GPU or generates there, a marker says so: a
 * process that ends then has lost the GPU, whatever its driver did. After too many losses models are loaded for the
 * processor, until the user wants to try again or the machine restarts: a driver may work again then.
 */
export class GpuLosses {
  readonly #file: JsonFile;
  readonly #markers: ProcessMarkers<Work>;
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #start: MachineStart;
  /** As last seen in the file, or all that is known where it cannot be written. */
  #losses: Losses = NONE;
  #isWritten = true;
  /** Loads and generations on a GPU, now. */
  #running = 0;
  /** When this process began to use a GPU, since the last pause. */
  #begunAt: number | null = null;
  #marker: string | null = null;
  #idle: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(options: GpuLossesOptions) {
    const { stateDirectory, log, process: owner } = options;
    this.#now = options.now ?? (() => uptime() * 1000);
    const startedAt = Math.round(options.startedAt ?? Date.now() - uptime() * 1000);
    this.#start = { startedAt, bootId: options.bootId === undefined ? bootId() : options.bootId };
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#file = new JsonFile(stateDirectory && join(stateDirectory, 'gpu.json'), log);
    this.#markers = new ProcessMarkers({
      folder: stateDirectory && join(stateDirectory, 'gpu-work'),
      parse: parseWork,
      // Losses before the machine's last start no longer count.
      durable: false,
      log,
      ...(owner === undefined ? {} : { process: owner }),
    });
  }

  /** Whether there were too many losses. First counts what ended processes have left, so it may write the file. */
  checkGivenUp(): boolean {
    this.#collect();
    if (this.#isWritten) this.#losses = this.#parse(this.#file.read());
    return isTooMuch(this.#losses);
  }

  /** This process has lost the GPU, and will end or leave it alone. */
  add(): void {
    const begunAt = this.#begunAt ?? this.#now();
    this.#change((losses) => (isNew(losses, begunAt) ? withOneMore(losses, this.#now()) : losses));
    // Where it could not be written, the marker stays for the next process, however this one ends.
    if (!this.#isWritten) this.#marker = null;
    // Should it go on, the next loss is another one.
    if (this.#begunAt !== null) this.#begunAt = this.#now();
  }

  /** Runs a load onto a GPU. If the process ends meanwhile, its GPU counts as lost, and not the model as broken. */
  async during<T>(_path: string, load: () => Promise<T>): Promise<T> {
    return this.whileItWorks(load);
  }

  /** Runs what a GPU does. One marker is for all that follows without a long pause: no key writes a file. */
  async whileItWorks<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    this.#mark();
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#rest();
    }
  }

  /** The load onto a GPU hangs, and this process ends because of it. */
  blame(): void {
    this.add();
  }

  /** From now on an end of the process is intended, and no loss. */
  dispose(): void {
    this.#isOver = true;
    this.#unmark();
  }

  /** A GPU has finished an answer. */
  worked(): void {
    if (this.#losses.inARow === 0) return;
    this.#change((losses) => (isTooMuch(losses) ? losses : { ...losses, inARow: 0 }));
  }

  /** The user wants to try again. @returns whether the GPU was given up until now */
  forgive(): boolean {
    const wasGivenUp = this.checkGivenUp();
    if (wasGivenUp) this.#change(() => NONE);
    return wasGivenUp;
  }

  /** Plans loads for the processor while the GPU is given up. */
  around(plan: PlanLoad): PlanLoad {
    return async (requested) => {
      if (requested.remote !== undefined || !this.checkGivenUp()) return plan(requested);
      return withDrawback(await plan(onProcessor(requested)), gpuGivenUp());
    };
  }

  #mark(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#begunAt !== null || this.#isOver) return;
    this.#begunAt = this.#now();
    this.#marker = this.#markers.add({ begunAt: this.#begunAt, ...this.#start });
  }

  #rest(): void {
    if (this.#begunAt !== null) this.#idle = setTimeout(() => this.#unmark(), this.#idleMs).unref();
  }

  #unmark(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    if (this.#marker !== null) this.#markers.remove(this.#marker);
    this.#idle = null;
    this.#marker = null;
    this.#begunAt = null;
  }

  /** Turns what ended processes left behind into losses. */
  #collect(): void {
    if (this.#markers.left().length === 0) return;
    let counted: readonly string[] = [];
    this.#change(
      (losses) => {
        // Another process may have counted them before this one had the file.
        const left = this.#markers.left();
        counted = left.map(({ path }) => path);
        const begun = left.flatMap(({ content }) => (content !== null && this.#isOurs(content) ? content.begunAt : []));
        return begun.some((begunAt) => isNew(losses, begunAt)) ? withOneMore(losses, this.#now()) : losses;
      },
      () => {
        for (const marker of counted) this.#markers.remove(marker);
      },
    );
  }

  /** Changes what the file holds at that time: other windows change it too. */
  #change(change: (losses: Losses) => Losses, written: () => void = () => undefined): void {
    let changed: Losses | null = null;
    this.#isWritten = false;
    this.#file.changeSoon({
      merge: (stored) => {
        changed = change(this.#parse(stored));
        return { ...changed, ...this.#start };
      },
      written: () => {
        this.#isWritten = true;
        written();
      },
    });
    this.#file.flush();
    this.#losses = changed ?? change(this.#losses);
  }

  /** None for what is no count, or of an earlier start of the machine. */
  #parse(stored: unknown): Losses {
    if (!isRecord(stored) || !isCount(stored.inARow) || !Array.isArray(stored.times)) return NONE;
    const { inARow, times } = stored;
    const start = parseStart(stored);
    return start !== null && this.#isOurs(start) ? { inARow, times: times.filter(isTime) } : NONE;
  }

  #isOurs({ startedAt, bootId }: MachineStart): boolean {
    if (bootId !== null && this.#start.bootId !== null) return bootId === this.#start.bootId;
    return Math.abs(startedAt - this.#start.startedAt) < SAME_START_MS;
  }
}

function isTooMuch({ inARow, times }: Losses): boolean {
  return inARow >= MOST_IN_A_ROW || times.length >= MOST_RECENT;
}

/** A GPU that is reset is lost to all windows at once. Those that used it before the last loss lost it with that one. */
function isNew({ times }: Losses, begunAt: number): boolean {
  return begunAt >= (times.at(-1) ?? 0);
}

function withOneMore(losses: Losses, now: number): Losses {
  // Once there are too many, they stay too many until the user tries again or the machine restarts. To drop old times would end that.
  if (isTooMuch(losses)) return losses;
  const recent = losses.times.filter((time) => now - time < RECENT_MS);
  return { inARow: losses.inARow + 1, times: [...recent, now] };
}

function parseWork(value: Readonly<Record<string, unknown>>): Work | null {
  const start = parseStart(value);
  return start !== null && isTime(value.begunAt) ? { ...start, begunAt: value.begunAt } : null;
}

function parseStart({ startedAt, bootId }: Readonly<Record<string, unknown>>): MachineStart | null {
  return isTime(startedAt) ? { startedAt, bootId: isText(bootId) ? bootId : null } : null;
}

function isTime(value: unknown): value is number {
  return isNumber(value, 0, Number.MAX_SAFE_INTEGER);
}

function gpuGivenUp(): EngineErrorInfo {
  const message = t('The GPU failed again and again. Inkling uses the processor instead, which is slower.');
  return { code: 'gpuGivenUp', message };
}

function onProcessor(requested: LoadRequest): LoadRequest {
  return { ...requested, gpuLayers: 0 };
}
