import { type EngineErrorCode, type EngineErrorInfo, t } from '../../../protocol/index.js';
import type { LockFile } from '../../util/files/lock-file.js';
import { sleep } from '../../util/sleep.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import { EngineError, toEngineError } from '../port/engine-error.js';
import type { GenerateRequest, GenerationResult } from '../port/generation.js';
import type { MemoryReport, Releasable } from '../port/memory-report.js';
import type { ModelFacts } from '../port/model-facts.js';
import type { GuestEngine } from './guest-engine.js';
import type { ModelOffer } from './model-offer.js';
import type { SharedModels } from './shared-models.js';
import { LOOK_AGAIN_MS, REACH_MS } from './wire/limits.js';

/** Owners that fail one after the other: then this window loads the model for itself. */
const MOST_VISITS = 5;

/** Errors with which an owner ends a load that it had begun. */
const OWNER_GAVE_UP: ReadonlySet<EngineErrorCode> = new Set(['ownerLost', 'loadCancelled', 'closed']);

/** For options that `SharedModels.around` planned. @throws EngineError where no engine can be made */
export function createSharedEngine(models: SharedModels, options: LoadOptions): Engine {
  return options.offer === undefined ? models.createEngine(options) : new SharedEngine(models);
}

/**
 * The `Engine` port for a model that windows share: a guest of the window that has loaded it, or its owner. Where neither
 * is possible, it is an engine of this window alone.
 */
class SharedEngine implements Engine {
  readonly #models: SharedModels;
  #engine: Engine | null = null;
  /** The offer of this process; null for a guest. */
  #offer: ModelOffer | null = null;
  /** How the model was planned for this window alone. */
  #alonePlan: LoadOptions['offer'] | null = null;

  constructor(models: SharedModels) {
    this.#models = models;
  }

  async load(options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts> {
    const { offer } = options;
    if (offer === undefined) throw new EngineError('invalidArgument', 'offer');
    let deadline = performance.now() + REACH_MS;
    for (let visits = 0; visits < MOST_VISITS; ) {
      if (signal.aborted) throw new EngineError('loadCancelled', t('Loading was cancelled'));
      const kept = await this.#models.kept(offer.name);
      if (kept !== null) return this.#own(kept, kept.use());
      const found = await this.#models.find(offer.name);
      switch (found.kind) {
        case 'owner': {
          visits += 1;
          const facts = await this.#visit(found.guest, options, onProgress, signal);
          if (facts !== null) return facts;
          deadline = performance.now() + REACH_MS;
          break;
        }
        case 'free': {
          const facts = await this.#offerIt(options, found.lock, onProgress, signal);
          if (facts !== null) return facts;
          break;
        }
        case 'unreachable':
          // It is about to listen, or about to end.
          if (performance.now() > deadline) return this.#alone(options, onProgress, signal);
          await sleep(LOOK_AGAIN_MS, signal);
          break;
        case 'refused':
          return this.#alone(options, onProgress, signal);
      }
    }
    return this.#alone(options, onProgress, signal);
  }

  generate(request: GenerateRequest, onText: (text: string) => void, signal: AbortSignal): Promise<GenerationResult> {
    return this.#loaded.generate(request, onText, signal);
  }

  tokenize(text: string, options?: { readonly parseSpecial?: boolean }): Promise<readonly number[]> {
    return this.#loaded.tokenize(text, options);
  }

  detokenize(tokens: readonly number[], options?: { readonly special?: boolean }): Promise<string> {
    return this.#loaded.detokenize(tokens, options);
  }

  drawback(): EngineErrorInfo | null {
    const own = this.#offer?.options.offer ?? this.#alonePlan;
    return own?.drawback ?? this.#engine?.drawback?.() ?? null;
  }

  memory(): MemoryReport | null {
    return this.#engine?.memory() ?? null;
  }

  release(what: Releasable): Promise<void> {
    return this.#loaded.release(what);
  }

  onDidEnd(listener: () => void): void {
    this.#engine?.onDidEnd?.(listener);
  }

  idleElsewhereMs(): number {
    return this.#offer?.idleMs ?? Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    const [offer, engine] = [this.#offer, this.#engine];
    this.#offer = null;
    this.#engine = null;
    if (offer !== null) await offer.leave();
    else await engine?.close();
  }

  get #loaded(): Engine {
    if (this.#engine === null) throw new EngineError('notLoaded', t('No model is loaded'));
    return this.#engine;
  }

  /** @returns null where the owner ended, or gave up its load: then somebody else may load */
  async #visit(
    guest: GuestEngine,
    options: LoadOptions,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<ModelFacts | null> {
    this.#engine = guest;
    try {
      const facts = await guest.load(options, onProgress, signal);
      this.#models.log.info('Using the model that another window has loaded.');
      return facts;
    } catch (thrown) {
      this.#engine = null;
      await guest.close();
      const error = toEngineError(thrown);
      if (OWNER_GAVE_UP.has(error.code) || signal.aborted) return null;
      throw error;
    }
  }

  /** @returns null where models that were kept for others made room: then it is worth another attempt */
  async #offerIt(
    options: LoadOptions,
    lock: LockFile,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<ModelFacts | null> {
    const opened = await this.#models.open(options, lock);
    if (opened === null) return this.#alone(options, onProgress, signal);
    try {
      return await this.#own(opened, opened.load(onProgress, signal));
    } catch (thrown) {
      const error = toEngineError(thrown);
      if (error.code === 'outOfMemory' && (await this.#models.giveUpKept())) return null;
      throw error;
    }
  }

  async #own(offer: ModelOffer, loaded: Promise<ModelFacts>): Promise<ModelFacts> {
    this.#offer = offer;
    this.#engine = offer.engine;
    try {
      return await loaded;
    } catch (error) {
      this.#offer = null;
      this.#engine = null;
      await offer.close();
      throw error;
    }
  }

  async #alone(options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts> {
    this.#models.log.info('This window loads the model for itself.');
    const { offer, ...planned } = await this.#models.planned(options);
    this.#alonePlan = offer ?? null;
    this.#engine = this.#models.createEngine(planned);
    return this.#engine.load(planned, onProgress, signal);
  }
}
