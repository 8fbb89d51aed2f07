import { type EngineErrorInfo, t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions, LoadRequest } from '../port/engine.js';
import { EngineError, toEngineError } from '../port/engine-error.js';
import type { LoadPlan, MakeRoom, PlanLoad, Substitute } from '../port/plan-load.js';
import { fallbackFor, type LoadedState, leavesMachine, sameOptions, summarize } from './host-state.js';
import type { HostedEngine } from './hosted-engine.js';

/** Progress is reported in steps of this size: each step is a message to the client. */
const PROGRESS_STEP = 0.05;

export interface EngineLoaderOptions {
  readonly createEngine: (options: LoadOptions) => Engine;
  readonly plan: PlanLoad;
  readonly makeRoom: MakeRoom;
  readonly substitute: Substitute;
  readonly log: Log;
}

/**
 * Puts models into a host and takes them out; the lifecycle decides when, one step at a time. At no time are two models
 * in memory. A model gives way only to one that has a plan, and comes back if that one fails to load.
 */
export class EngineLoader {
  readonly #hosted: HostedEngine;
  readonly #options: EngineLoaderOptions;

  constructor(hosted: HostedEngine, options: EngineLoaderOptions) {
    this.#hosted = hosted;
    this.#options = options;
  }

  /** Loads the requested model in place of the present one. If it cannot, the present one stays or comes back. */
  async replace(loadRequest: LoadRequest, signal: AbortSignal): Promise<void> {
    const hosted = this.#hosted;
    if (leavesMachine(hosted.state, loadRequest)) await this.remove();
    const plan = await this.#plan(loadRequest);
    if (signal.aborted) return;
    const previous = fallbackFor(hosted.state, loadRequest);
    if (plan.kind === 'refused') {
      if (hosted.loaded === null) await this.#goWithout(loadRequest, plan.error, previous, signal);
      else this.#stay(hosted.loaded, loadRequest, plan.error);
      return;
    }
    if (hosted.loaded !== null && sameOptions(hosted.loaded.options, plan.options)) {
      hosted.become({ ...hosted.loaded, loadRequest, refusal: drawbackOf(plan, hosted.loaded.engine) });
      return;
    }
    await this.remove();
    const failure = signal.aborted ? null : await this.#load(loadRequest, plan.options, plan.drawback ?? null, signal);
    if (failure === null || signal.aborted || previous === null) return;
    this.#options.log.warn(`Going back to ${previous.path}`);
    await this.loadAsPlanned(previous, failure, signal);
  }

  /**
   * Loads a model with the options that fit now.
   * @param refusal why this is not another model that the user asked for; null where it is the requested one
   * @returns why nothing could be loaded; null once it is, or another one in its place, or when nobody wants it any more
   */
  async loadAsPlanned(
    loadRequest: LoadRequest,
    refusal: EngineErrorInfo | null,
    signal: AbortSignal,
  ): Promise<EngineErrorInfo | null> {
    const plan = await this.#plan(loadRequest);
    if (signal.aborted) return null;
    if (plan.kind === 'fits') return this.#load(loadRequest, plan.options, refusal ?? plan.drawback ?? null, signal);
    return this.#goWithout(loadRequest, plan.error, null, signal);
  }

  /** Loads once more what failed before, as it was requested. The state changes only when the attempt is over. */
  async loadAgain(loadRequest: LoadRequest, signal: AbortSignal): Promise<void> {
    await this.remove();
    await this.#load(loadRequest, loadRequest, null, signal, true);
  }

  /** Closes the loaded engine; a no-op without one. */
  async remove(): Promise<void> {
    const { loaded } = this.#hosted;
    if (loaded === null) return;
    this.#hosted.become({ kind: 'idle' });
    await this.close(loaded.engine);
  }

  /** The remote server is gone. The next attempt to reach it starts with a new engine. */
  async lose(engine: Engine, error: EngineErrorInfo): Promise<void> {
    if (this.#hosted.loaded?.engine !== engine) return;
    this.#options.log.error(`Lost (${error.code}): ${error.message}`);
    this.#hosted.become({ kind: 'failed', error });
    await this.close(engine);
  }

  /** Never rejects. */
  async close(engine: Engine): Promise<void> {
    try {
      await engine.close();
    } catch (error) {
      this.#options.log.error(`Closing the engine failed: ${toEngineError(error).message}`);
    }
  }

  #stay(loaded: LoadedState, loadRequest: LoadRequest, refusal: EngineErrorInfo): void {
    this.#logRefusal(loadRequest, refusal);
    this.#hosted.become({ ...loaded, refusal });
  }

  /**
   * Nothing is loaded, and the requested model is refused: another one serves, if there is one.
   * @returns why nothing is loaded; null if something is
   */
  async #goWithout(
    loadRequest: LoadRequest,
    refusal: EngineErrorInfo,
    previous: LoadRequest | null,
    signal: AbortSignal,
  ): Promise<EngineErrorInfo | null> {
    this.#logRefusal(loadRequest, refusal);
    const other = previous ?? this.#options.substitute(loadRequest, refusal);
    if (other !== null) return this.loadAsPlanned(other, refusal, signal);
    this.#hosted.become({ kind: 'failed', error: refusal });
    return refusal;
  }

  /** Planning changes nothing. If the plan refuses, others may make room, and a second plan follows. */
  async #plan(loadRequest: LoadRequest): Promise<LoadPlan> {
    const { plan, makeRoom } = this.#options;
    try {
      const planned = await plan(loadRequest);
      if (planned.kind === 'fits' || !(await makeRoom(loadRequest, planned.error))) return planned;
      return await plan(loadRequest);
    } catch (thrown) {
      // Planning reads files and asks other processes. Whatever goes wrong there refuses this one load.
      return { kind: 'refused', error: toEngineError(thrown).info };
    }
  }

  async #load(
    loadRequest: LoadRequest,
    options: LoadOptions,
    refusal: EngineErrorInfo | null,
    signal: AbortSignal,
    isQuiet = false,
  ): Promise<EngineErrorInfo | null> {
    const { createEngine, substitute, log } = this.#options;
    if (!isQuiet) this.#hosted.become({ kind: 'loading', progress: 0 });
    const startedAt = performance.now();
    let engine: Engine | null = null;
    try {
      engine = createEngine(options);
      const facts = await engine.load(options, (fraction) => this.#reportProgress(fraction, signal), signal);
      if (signal.aborted) throw new EngineError('loadCancelled', t('Loading was cancelled'));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
      log.info(`Loaded ${summarize(facts)} in ${seconds} s`);
      this.#hosted.noteUse();
      this.#hosted.become({
        kind: 'loaded',
        engine,
        facts,
        loadRequest,
        options,
        refusal: refusal ?? engine.drawback?.() ?? null,
        running: 0,
        answering: 0,
        inBackground: 0,
        failure: null,
      });
      const loaded = engine;
      loaded.onDidEnd?.(() => this.#hosted.ended(loaded));
      return null;
    } catch (thrown) {
      const error = toEngineError(thrown);
      if (engine !== null) await this.close(engine);
      if (signal.aborted) return null;
      if (!isQuiet) this.#logRefusal(options, error.info);
      const other = substitute(loadRequest, error.info);
      if (other !== null) return this.loadAsPlanned(other, refusal, signal);
      this.#hosted.become({ kind: 'failed', error: error.info });
      return error.info;
    }
  }

  #reportProgress(fraction: number, signal: AbortSignal): void {
    const { state } = this.#hosted;
    if (signal.aborted || state.kind !== 'loading') return;
    // After the file comes what a GPU's driver may take a minute for.
    const isRead = fraction >= 1 && state.progress < 1;
    if (isRead || fraction - state.progress >= PROGRESS_STEP)
      this.#hosted.become({ kind: 'loading', progress: fraction });
  }

  #logRefusal({ path }: LoadOptions, { code, message }: EngineErrorInfo): void {
    this.#options.log.error(`Cannot load ${path} (${code}): ${message}`);
  }
}

function drawbackOf(plan: Extract<LoadPlan, { kind: 'fits' }>, engine: Engine): EngineErrorInfo | null {
  return plan.drawback ?? engine.drawback?.() ?? null;
}
