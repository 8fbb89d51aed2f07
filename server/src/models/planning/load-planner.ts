import { t } from '../../../protocol/index.js';
import type { EstimateMemory, LoadOptions, LoadRequest } from '../../engine/port/engine.js';
import { EngineError, toEngineError } from '../../engine/port/engine-error.js';
import type { MemoryEstimate } from '../../engine/port/memory-report.js';
import { optionsOf } from '../../engine/port/plan-load.js';
import type { HeldMemory } from '../../memory/held-memory.js';
import { limitsMemory, memoryBudget } from '../../memory/memory-budget.js';
import type { GgufHeader } from '../gguf/gguf-header.js';
import type { ExaminedFiles } from '../safety/examined-files.js';
import {
  bytesAt,
  type Estimated,
  type Freedom,
  type Lengths,
  longestContext,
  planCaches,
  planLengths,
} from './load-plan.js';
import { ampleBytes, completionContextLength, defaultContextLength, estimateFromHeader } from './memory-need.js';

export interface LoadPlannerOptions {
  readonly estimateMemory: EstimateMemory;
  /** Files that need no look in another process before their load. */
  readonly examined: Pick<ExaminedFiles, 'has' | 'add'>;
  /** Ours, so it is loaded even if it was never examined. */
  readonly starterModelPath: string;
  readonly machineBytes: number;
  /** Whether a GPU shares the machine's memory, and may have a part of it only: its working set (Metal). */
  readonly unifiedMemory: boolean;
  readonly held: () => HeldMemory;
  /** Memory that the system can currently give. */
  readonly availableBytes: () => number;
  /** 1 if the model has a single context for everything. */
  readonly slots: 1 | 2;
}

export type Planned =
  | {
      readonly kind: 'fits';
      readonly options: LoadOptions;
      /** This server's memory with the model; a guess if there is ample room. */
      readonly memoryBytes: number;
    }
  | TooLarge;

export interface TooLarge {
  readonly kind: 'tooLarge';
  readonly memoryBytes: number;
  readonly contextLength: number;
  /** The limit that is too low for the model. */
  readonly limitBytes: number;
  readonly limitedBy: 'budget' | 'machine' | 'available' | 'workingSet';
  /** A shorter context with which it would fit; null if no length would. */
  readonly fittingContext: number | null;
}

/** Memory is nearly linear in the lengths, so hardly ever is a second correction needed. */
const MOST_CORRECTIONS = 8;

/**
 * Chooses the options that keep a model within the memory budget: context lengths unless the user set them, checkpoints
 * and swapped-out prompts always. Loads nothing.
 */
export class LoadPlanner {
  readonly #options: LoadPlannerOptions;
  /** By header object, which is read again when its file changes: lists are requested more often than that. */
  readonly #estimates = new WeakMap<GgufHeader, Map<string, Promise<MemoryEstimate>>>();
  /** Null before the first estimate, and where there is none. */
  #workingSetBytes: number | null = null;

  constructor(options: LoadPlannerOptions) {
    this.#options = options;
  }

  get besidesBytes(): number {
    return this.#options.held().besidesBytes;
  }

  /** What the GPU may have of the machine's memory, and what the server holds besides; null where nothing is known. */
  get workingSetBytes(): number | null {
    return this.#workingSetBytes && this.#workingSetBytes + this.besidesBytes;
  }

  /**
   * Whether there is certainly room for that many bytes, so that a load need not wait for an estimate.
   *
   * @param bytes more than the model can ever take
   */
  hasRoomFor(bytes: number, { budgetBytes = 0, deviceBytes = 0 }: LoadRequest): boolean {
    const { machineBytes, held, availableBytes } = this.#options;
    const { besidesBytes, freedBytes } = held();
    const budget = memoryBudget(budgetBytes, machineBytes + deviceBytes, 0) - besidesBytes;
    const available = availableBytes() + freedBytes + deviceBytes;
    return bytes <= Math.min(budget, available, this.#workingSetBytes ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Like `plan`, but at once if there is ample room and the file was examined before.
   *
   * @throws EngineError as `estimateMemory`; `loadFailed` instead of `internal` for a file that was never examined
   */
  async planLoad(header: GgufHeader, loadRequest: LoadRequest): Promise<Planned> {
    try {
      return await this.#planLoad(header, loadRequest);
    } catch (thrown) {
      const error = toEngineError(thrown);
      const isAllowed = loadRequest.path === this.#options.starterModelPath;
      if (error.code !== 'internal' || isAllowed || (await this.#options.examined.has(header.paths))) throw error;
      // Without a process that may die of the file, this one would be the first to read it.
      const message = t('{0} was not loaded, because it could not be examined first. {1}', header.name, error.message);
      throw new EngineError('loadFailed', message, { cause: error });
    }
  }

  async #planLoad(header: GgufHeader, loadRequest: LoadRequest): Promise<Planned> {
    if (this.hasRoomFor(ampleBytes(header, loadRequest), loadRequest)) {
      const contextLength = completionContextLength(header, loadRequest);
      await this.#examine(header, loadRequest, contextLength);
      const memoryBytes = this.besidesBytes + estimateFromHeader(header, contextLength);
      return { kind: 'fits', options: { ...optionsOf(loadRequest), contextLength }, memoryBytes };
    }
    return this.plan(header, loadRequest, true);
  }

  /**
   * @param now whether the machine's free memory limits the plan, not only the budget
   * @throws EngineError as `estimateMemory`
   */
  async plan(header: GgufHeader, loadRequest: LoadRequest, now: boolean): Promise<Planned> {
    const { machineBytes, held, availableBytes, slots } = this.#options;
    const { budgetBytes = 0, contextLength = 0, chatContextLength = 0, deviceBytes = 0 } = loadRequest;
    const { besidesBytes, freedBytes } = held();
    const options = optionsOf(loadRequest);
    const freedom: Freedom = { completion: contextLength === 0, chats: header.chat && slots === 2 };
    const requested: Lengths = {
      completion: completionContextLength(header, loadRequest),
      chat: defaultContextLength(header, chatContextLength),
    };
    let estimated: Estimated & { readonly estimate: MemoryEstimate } = {
      lengths: requested,
      // Free memory counts only for a load that comes now.
      estimate: await this.#estimate(header, options, requested, now),
    };
    const spare = now ? spareBytes(estimated.estimate, deviceBytes, availableBytes()) + freedBytes : null;
    const available = spare ?? Number.POSITIVE_INFINITY;
    const workingSet = this.#workingSetOf(estimated.estimate, options);
    const budgetFor = (bytes: number): number =>
      memoryBudget(budgetBytes, machineBytes + deviceBytes, bytes + besidesBytes) - besidesBytes;
    const limitFor = (bytes: number): number => Math.min(budgetFor(bytes), available, workingSet);

    let lengths = planLengths(estimated, freedom, limitFor);
    for (let count = 0; lengths !== null && !same(lengths, estimated.lengths); count += 1) {
      estimated = { lengths, estimate: await this.#estimate(header, options, lengths, false) };
      lengths = count < MOST_CORRECTIONS ? planLengths(estimated, freedom, limitFor) : lengths;
    }
    const { neededBytes } = estimated.estimate;
    const memoryBytes = besidesBytes + neededBytes;
    if (lengths === null) {
      const limitBytes = limitFor(neededBytes);
      const ofBudget = limitsMemory(budgetBytes, machineBytes + deviceBytes) ? 'budget' : 'machine';
      const ofNow = available === limitBytes ? 'available' : 'workingSet';
      return {
        kind: 'tooLarge',
        memoryBytes,
        contextLength: estimated.lengths.completion,
        limitBytes: besidesBytes + limitBytes,
        limitedBy: budgetFor(neededBytes) === limitBytes ? ofBudget : ofNow,
        fittingContext: freedom.completion ? null : longestContext(estimated, limitFor),
      };
    }
    const used = bytesAt(estimated, lengths, freedom.chats);
    const caches = planCaches(estimated, Math.max(0, limitFor(used) - used), freedom);
    return {
      kind: 'fits',
      options: {
        ...options,
        contextLength: lengths.completion,
        ...(lengths.chat === requested.chat ? {} : { chatContextLength: lengths.chat }),
        ...caches,
      },
      memoryBytes,
    };
  }

  /**
   * llama.cpp ends its process where a header is not as it expects. The estimate shows that first, elsewhere.
   *
   * @throws EngineError as `estimateMemory`
   */
  async #examine(header: GgufHeader, loadRequest: LoadRequest, tokens: number): Promise<void> {
    if (await this.#options.examined.has(header.paths)) return;
    await this.#estimate(header, optionsOf(loadRequest), { completion: tokens, chat: tokens }, false);
  }

  #workingSetOf({ deviceFreeBytes }: MemoryEstimate, { gpuLayers }: LoadOptions): number {
    // The process that made the estimate holds nothing on the GPU, so all is free there.
    if (!this.#options.unifiedMemory || gpuLayers === 0 || deviceFreeBytes === 0) return Number.POSITIVE_INFINITY;
    this.#workingSetBytes = deviceFreeBytes;
    return deviceFreeBytes;
  }

  #estimate(header: GgufHeader, options: LoadOptions, lengths: Lengths, fresh: boolean): Promise<MemoryEstimate> {
    const [path = options.path] = header.paths;
    // Whether it can complete code is checked elsewhere.
    const asked = {
      ...options,
      path,
      contextLength: lengths.completion,
      chatContextLength: lengths.chat,
      requireFim: false,
    };
    const known = this.#estimates.get(header) ?? new Map<string, Promise<MemoryEstimate>>();
    this.#estimates.set(header, known);
    const key = JSON.stringify(asked);
    const before = known.get(key);
    if (before !== undefined && !fresh) return before;
    const estimate = this.#options.estimateMemory(asked);
    known.set(key, estimate);
    estimate.then(
      () => this.#options.examined.add(header.paths),
      // A failed estimate may succeed the next time.
      () => known.delete(key),
    );
    return estimate;
  }
}

/**
 * What the machine and the device can give now. The engine's figure comes first: it keeps a reserve, and refuses more.
 *
 * @param ownBytes of the device, what the model to replace holds there included
 * @param otherwise where the engine has no figure
 */
function spareBytes({ availableBytes, deviceFreeBytes }: MemoryEstimate, ownBytes: number, otherwise: number): number {
  const known = availableBytes > 0 ? availableBytes : otherwise;
  // The engine counts what is free on the device.
  return ownBytes > 0 && availableBytes > 0 ? known - deviceFreeBytes + ownBytes : known + ownBytes;
}

function same(left: Lengths, right: Lengths): boolean {
  return left.completion === right.completion && left.chat === right.chat;
}
