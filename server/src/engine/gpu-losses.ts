import { uptime } from 'node:os';
import { type EngineErrorInfo, isCount, isRecord, t } from '../../protocol/index.js';
import type { JsonFile } from '../util/json-file.js';
import type { LoadRequest } from './engine.js';
import type { LoadPlan, PlanLoad } from './plan-load.js';

/** A GPU that was lost to so many processes in a row will be lost to the next one. */
const MOST_LOSSES = 2;

/** The start of the machine is computed from a clock that may be set meanwhile. */
const SAME_START_MS = 60_000;

/**
 * Counts the processes that lost the GPU, one after the other. After too many of them models are loaded for the processor,
 * until the user wants to try again or the machine starts anew: a driver may work again then.
 */
export class GpuLosses {
  readonly #file: JsonFile;
  readonly #startedAt: number;
  #count: number;
  /** Onto a GPU, now. */
  #loads = 0;

  /** @param startedAt of the machine, in milliseconds */
  constructor(file: JsonFile, startedAt = Date.now() - uptime() * 1000) {
    this.#file = file;
    this.#startedAt = startedAt;
    const stored = file.read();
    const isOurs = isRecord(stored) && isCount(stored.losses) && isCount(stored.startedAt);
    const isRecent = isOurs && Math.abs(Number(stored.startedAt) - startedAt) < SAME_START_MS;
    this.#count = isRecent ? Number(stored.losses) : 0;
  }

  get isGivenUp(): boolean {
    return this.#count >= MOST_LOSSES;
  }

  /** This process has lost the GPU, and will end. */
  add(): void {
    this.#set(this.#count + 1);
  }

  /** Runs a load onto a GPU. If the process ends meanwhile, its GPU counts as lost, and not the model as broken. */
  async during<T>(_path: string, load: () => Promise<T>): Promise<T> {
    this.#loads += 1;
    this.#write(this.#count + 1);
    try {
      return await load();
    } finally {
      this.#loads -= 1;
      if (this.#loads === 0) this.#write(this.#count);
    }
  }

  /** The load onto a GPU hangs, and this process ends because of it. */
  blame(): void {
    this.#loads = 0;
    this.add();
  }

  /** From now on the process ends because somebody wants it to. */
  dispose(): void {
    if (this.#loads > 0) this.#write(this.#count);
    this.#loads = 0;
  }

  /** The model finished an answer. On the processor that says nothing of the GPU. */
  worked(): void {
    if (this.#count > 0 && !this.isGivenUp) this.#set(0);
  }

  /** The user wants to try again. @returns whether the GPU was given up until now */
  forgive(): boolean {
    const wasGivenUp = this.isGivenUp;
    if (wasGivenUp) this.#set(0);
    return wasGivenUp;
  }

  /** Plans loads for the processor while the GPU is given up. */
  around(plan: PlanLoad): PlanLoad {
    return async (requested) => {
      if (!this.isGivenUp || requested.remote !== undefined) return plan(requested);
      return withDrawback(await plan(onProcessor(requested)), {
        code: 'gpuGivenUp',
        message: t('The GPU failed again and again. Inkling uses the processor instead, which is slower.'),
      });
    };
  }

  #set(losses: number): void {
    this.#count = losses;
    this.#write(losses);
  }

  #write(losses: number): void {
    const startedAt = Math.round(this.#startedAt);
    this.#file.changeSoon({ merge: () => ({ losses, startedAt }), written: () => undefined });
    this.#file.flush();
  }
}

function onProcessor(requested: LoadRequest): LoadRequest {
  return { ...requested, gpuLayers: 0 };
}

function withDrawback(plan: LoadPlan, drawback: EngineErrorInfo): LoadPlan {
  return plan.kind === 'fits' ? { ...plan, drawback } : plan;
}
