import { type EngineErrorInfo, type EngineState, t, type UnloadReason } from '../../protocol/index.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { unlessAborted, untilLast } from '../util/unless-aborted.js';
import type {
  ConversationRequest,
  ConversationResult,
  Engine,
  GenerateRequest,
  GenerationResult,
  LoadOptions,
  LoadRequest,
  MemoryReport,
  ModelFacts,
  OnPiece,
  Releasable,
} from './engine.js';
import { EngineError, toEngineError } from './engine-error.js';
import {
  comesBackByItself,
  describeState,
  fallbackFor,
  type HostState,
  leavesMachine,
  REQUEST_ERRORS,
  remoteFailure,
  sameOptions,
  summarize,
  withFailure,
  withRunning,
} from './host-state.js';
import { AS_REQUESTED, type PlanLoad } from './plan-load.js';

/** Progress is reported in steps of this size: each step is a message to the client. */
const PROGRESS_STEP = 0.05;

/**
 * Owns an engine: loads the model that was asked for, replaces it when another is, and closes it. At no time has it two
 * models in memory, and who asks for something that is not ready gets a typed error at once. A model gives way only to one
 * for which there is a plan, and comes back if that fails to load after all. One that was unloaded comes back when it is
 * needed (`wake`); whoever cannot go on without it waits (`awake`).
 */
export class EngineHost {
  readonly #createEngine: (options: LoadOptions) => Engine;
  readonly #log: Log;
  readonly #plan: PlanLoad;
  readonly #changed = new Emitter<void>();
  #state: HostState = { kind: 'idle' };
  #wanted: LoadRequest | null = null;
  #loadAbort = new AbortController();
  /** The return of an unloaded model, while it is under way. */
  #return: Promise<void> | null = null;
  #lastUsedAt = performance.now();
  /** Running generations of the completion's priority. */
  #completing = 0;
  /** Loads and closes run one after the other, in the order in which they were asked for. */
  #transitions: Promise<void> = Promise.resolve();

  constructor(createEngine: (options: LoadOptions) => Engine, log: Log, plan: PlanLoad = AS_REQUESTED) {
    this.#createEngine = createEngine;
    this.#log = log;
    this.#plan = plan;
  }

  readonly onDidChange = this.#changed.event;

  get state(): EngineState {
    return describeState(this.#state);
  }

  /** Of the loaded model; null while none is loaded. */
  get facts(): ModelFacts | null {
    return this.#state.kind === 'loaded' ? this.#state.facts : null;
  }

  /** Nothing is loaded, and nothing was asked for. */
  get isIdle(): boolean {
    return this.#state.kind === 'idle' && this.#wanted === null;
  }

  /** A suggestion is being made: what else wants the processor waits. */
  get isCompleting(): boolean {
    return this.#completing > 0;
  }

  /** Of the model that is loaded, or was and comes back. */
  get knownFacts(): ModelFacts | null {
    return this.#state.kind === 'unloaded' ? this.#state.facts : this.facts;
  }

  /** What was asked for last, whatever became of it: a model of this machine, or another machine. */
  get wanted(): LoadRequest | null {
    return this.#wanted;
  }

  /** Another machine is wanted that cannot be used now, for a reason that may pass by itself. */
  get isLost(): boolean {
    return remoteFailure(this.#state, this.#wanted) === 'passing';
  }

  /** Milliseconds since the model was last used, or loaded; 0 while it is in use. */
  get idleMs(): number {
    const isUsed = this.#state.kind === 'loaded' && this.#state.running > 0;
    return isUsed ? 0 : performance.now() - this.#lastUsedAt;
  }

  memory(): MemoryReport | null {
    return this.#state.kind === 'loaded' ? this.#state.engine.memory() : null;
  }

  /** Asks for a model. The same one again is a no-op; another one cancels a load that is under way. */
  want(loadRequest: LoadRequest): void {
    if (this.#state.kind === 'closed' || (this.#wanted !== null && sameOptions(this.#wanted, loadRequest))) return;
    this.#wanted = loadRequest;
    this.#loadAbort.abort();
    const abort = new AbortController();
    this.#loadAbort = abort;
    this.#transitions = this.#transitions.then(() => this.#load(loadRequest, abort.signal));
  }

  /** @throws EngineError `notLoaded` while no model is loaded, and what the engine itself reports */
  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const completes = (request.priority ?? request.slot ?? 'completion') === 'completion';
    return this.#use((engine) => engine.generate(request, onText, signal), completes);
  }

  /** As the port's. @throws EngineError as `generate` */
  async converse(request: ConversationRequest, onPiece: OnPiece, signal: AbortSignal): Promise<ConversationResult> {
    return this.#use((engine) => {
      if (engine.converse === undefined)
        throw new EngineError('invalidArgument', t('This engine accepts prompts only'));
      return engine.converse(request, onPiece, signal);
    });
  }

  /** Whoever finds nobody at another machine makes it known: the machine is lost for all. */
  async #ask<T>(call: (engine: Engine) => Promise<T>): Promise<T> {
    if (this.#state.kind !== 'loaded') throw new EngineError('notLoaded', t('No model is loaded'));
    const { engine } = this.#state;
    return call(engine).catch(async (thrown: unknown) => {
      const error = toEngineError(thrown);
      if (error.code === 'remoteUnreachable') await this.#lose(engine, error.info);
      throw error;
    });
  }

  async #use<T>(call: (engine: Engine) => Promise<T>, completes = false): Promise<T> {
    if (this.#state.kind !== 'loaded') throw new EngineError('notLoaded', t('No model is loaded'));
    const { engine } = this.#state;
    this.#lastUsedAt = performance.now();
    this.#completing += completes ? 1 : 0;
    this.#setState(withRunning(this.#state, engine, +1));
    try {
      const result = await this.#ask(call);
      this.#state = withFailure(this.#state, engine, null);
      return result;
    } catch (thrown) {
      const error = toEngineError(thrown);
      if (error.code !== 'remoteUnreachable' && !REQUEST_ERRORS.has(error.code)) {
        this.#log.error(`Generation failed (${error.code}): ${error.message}`);
        this.#state = withFailure(this.#state, engine, error.info);
      }
      throw error;
    } finally {
      this.#lastUsedAt = performance.now();
      this.#completing -= completes ? 1 : 0;
      // Who waits until no suggestion is made hears of the end of one whose engine went away, too.
      this.#setState(withRunning(this.#state, engine, -1));
    }
  }

  /** As the port's, like what is below it. @throws EngineError `notLoaded` */
  async tokenize(text: string, options?: { readonly parseSpecial?: boolean }): Promise<readonly number[]> {
    return this.#ask((engine) => engine.tokenize(text, options));
  }

  async detokenize(tokens: readonly number[], options?: { readonly special?: boolean }): Promise<string> {
    return this.#ask((engine) => engine.detokenize(tokens, options));
  }

  /** Gives memory back while the model stays loaded; a no-op while none is. */
  async release(what: Releasable): Promise<void> {
    if (this.#state.kind !== 'loaded') return;
    await this.#state.engine.release(what);
    this.#changed.fire();
  }

  /**
   * Gives the whole model back, until it is needed again; a no-op while none is loaded. Work that runs keeps the model,
   * unless the user wants it gone: then that work ends.
   */
  unload(reason: UnloadReason): Promise<void> {
    this.#transitions = this.#transitions.then(async () => {
      if (this.#state.kind === 'unloaded') this.#setState({ ...this.#state, reason });
      if (this.#state.kind !== 'loaded' || (this.#state.running > 0 && reason !== 'user')) return;
      const { engine, facts, loadRequest } = this.#state;
      this.#log.info(`Unloading ${facts.name} (${reason})`);
      this.#setState({ kind: 'unloaded', reason, facts, loadRequest });
      await this.#closeQuietly(engine);
      this.#changed.fire();
    });
    return this.#transitions;
  }

  /** There is memory again: what was unloaded for want of it may come back by itself. */
  pressureIsOver(): void {
    if (this.#state.kind !== 'unloaded' || this.#state.reason !== 'memoryPressure') return;
    this.#setState({ ...this.#state, reason: 'idle' });
  }

  /**
   * The model will be needed: loads it again if it was unloaded.
   * @param asked whether the user asked for something, which brings it back whatever the reason was
   */
  wake(asked: boolean): void {
    this.#lastUsedAt = performance.now();
    if (asked && this.#return === null && remoteFailure(this.#state, this.#wanted) !== null) {
      this.#return = this.retry().finally(() => {
        this.#return = null;
      });
    }
    if (this.#state.kind !== 'unloaded' || !(asked || comesBackByItself(this.#state.reason))) return;
    const { loadRequest, facts } = this.#state;
    const abort = new AbortController();
    this.#loadAbort = abort;
    this.#log.info(`Loading ${facts.name} again`);
    this.#setState({ kind: 'loading', progress: 0 });
    const loaded = this.#transitions.then(async () => {
      if (!abort.signal.aborted) await this.#openAgain(loadRequest, facts, abort.signal);
    });
    this.#transitions = loaded;
    this.#return = loaded.finally(() => {
      this.#return = null;
    });
  }

  /** Wakes the model and waits until it is back, or will not come. Never rejects, and returns at once when aborted. */
  async awake(asked: boolean, signal: AbortSignal): Promise<void> {
    this.wake(asked);
    if (this.#return !== null) await unlessAborted(this.#return, signal);
  }

  /** Waits for all loads and closes, those asked for meanwhile too. Never rejects, and returns at once when aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    await untilLast(() => this.#transitions, signal);
  }

  /** No model is wanted any more: gives back what is loaded, and knows nothing of it. */
  forget(): void {
    if (this.#state.kind === 'closed') return;
    this.#wanted = null;
    this.#loadAbort.abort();
    this.#transitions = this.#transitions.then(async () => {
      await this.#closeEngine();
      this.#setState({ kind: 'idle' });
    });
  }

  /** Tries once more to reach another machine. What the status says changes when the attempt is over. */
  retry(): Promise<void> {
    this.#transitions = this.#transitions.then(async () => {
      if (this.#wanted === null || remoteFailure(this.#state, this.#wanted) === null) return;
      const abort = new AbortController();
      this.#loadAbort = abort;
      await this.#closeEngine();
      await this.#open(this.#wanted, this.#wanted, null, abort.signal, true);
    });
    return this.#transitions;
  }

  /** Stops what runs and frees everything. Resolves when it is done; afterwards the host stays closed. */
  close(): Promise<void> {
    this.#loadAbort.abort();
    this.#transitions = this.#transitions.then(async () => {
      await this.#closeEngine();
      this.#setState({ kind: 'closed' });
    });
    return this.#transitions;
  }

  async #load(loadRequest: LoadRequest, signal: AbortSignal): Promise<void> {
    if (leavesMachine(this.#state, loadRequest)) await this.#closeEngine();
    const plan = await this.#plan(loadRequest);
    if (signal.aborted) return;
    const previous = fallbackFor(this.#state, loadRequest);
    if (plan.kind === 'refused') {
      this.#logRefusal(loadRequest, plan.error);
      if (this.#state.kind === 'loaded') this.#setState({ ...this.#state, refusal: plan.error });
      else if (previous !== null) await this.#openPlanned(previous, plan.error, signal);
      else this.#setState({ kind: 'failed', error: plan.error });
      return;
    }
    if (this.#state.kind === 'loaded' && sameOptions(this.#state.options, plan.options)) {
      this.#setState({ ...this.#state, loadRequest, refusal: null });
      return;
    }
    await this.#closeEngine();
    const failure = signal.aborted ? null : await this.#open(loadRequest, plan.options, null, signal);
    if (failure === null || signal.aborted || previous === null) return;
    this.#log.warn(`Going back to ${previous.path}`);
    await this.#openPlanned(previous, failure, signal);
  }

  /** The return of a model that was unloaded. What is missing may be memory: then it comes when there is some. */
  async #openAgain(loadRequest: LoadRequest, facts: ModelFacts, signal: AbortSignal): Promise<void> {
    const failure = await this.#openPlanned(loadRequest, null, signal);
    if (failure?.code !== 'outOfMemory' || signal.aborted) return;
    this.#setState({ kind: 'unloaded', reason: 'memoryPressure', facts, loadRequest });
  }

  /** As `#open`, for what fits now. */
  async #openPlanned(
    loadRequest: LoadRequest,
    refusal: EngineErrorInfo | null,
    signal: AbortSignal,
  ): Promise<EngineErrorInfo | null> {
    const plan = await this.#plan(loadRequest);
    if (signal.aborted) return null;
    if (plan.kind === 'fits') return this.#open(loadRequest, plan.options, refusal, signal);
    this.#logRefusal(loadRequest, plan.error);
    this.#setState({ kind: 'failed', error: plan.error });
    return plan.error;
  }

  /**
   * Loads a model into a new engine.
   * @param refusal why it is not another model, if that was wanted
   * @param again whether this failed before, so that nobody needs to be told about the attempt
   * @returns why it could not be loaded; null once it is, or when nobody wants it any more
   */
  async #open(
    loadRequest: LoadRequest,
    options: LoadOptions,
    refusal: EngineErrorInfo | null,
    signal: AbortSignal,
    again = false,
  ): Promise<EngineErrorInfo | null> {
    if (!again) this.#setState({ kind: 'loading', progress: 0 });
    const startedAt = performance.now();
    let engine: Engine | null = null;
    try {
      engine = this.#createEngine(options);
      const facts = await engine.load(options, (fraction) => this.#reportProgress(fraction, signal), signal);
      if (signal.aborted) throw new EngineError('loadCancelled', t('Loading was cancelled'));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
      this.#log.info(`Loaded ${summarize(facts)} in ${seconds} s`);
      this.#lastUsedAt = performance.now();
      this.#setState({ kind: 'loaded', engine, facts, loadRequest, options, refusal, running: 0, failure: null });
      return null;
    } catch (thrown) {
      const error = toEngineError(thrown);
      await this.#closeQuietly(engine);
      if (signal.aborted) return null;
      if (!again) this.#logRefusal(options, error.info);
      this.#setState({ kind: 'failed', error: error.info });
      return error.info;
    }
  }

  /** The next attempt to reach it, and whatever comes of it, begins from nothing. */
  async #lose(engine: Engine, error: EngineErrorInfo): Promise<void> {
    if (this.#state.kind !== 'loaded' || this.#state.engine !== engine) return;
    this.#log.error(`Lost (${error.code}): ${error.message}`);
    this.#setState({ kind: 'failed', error });
    await this.#closeQuietly(engine);
  }

  #logRefusal({ path }: LoadOptions, { code, message }: EngineErrorInfo): void {
    this.#log.error(`Cannot load ${path} (${code}): ${message}`);
  }

  async #closeEngine(): Promise<void> {
    if (this.#state.kind !== 'loaded') return;
    const { engine } = this.#state;
    this.#setState({ kind: 'idle' });
    await this.#closeQuietly(engine);
  }

  async #closeQuietly(engine: Engine | null): Promise<void> {
    try {
      await engine?.close();
    } catch (error) {
      this.#log.error(`Closing the engine failed: ${toEngineError(error).message}`);
    }
  }

  #reportProgress(fraction: number, signal: AbortSignal): void {
    if (signal.aborted || this.#state.kind !== 'loading') return;
    if (fraction - this.#state.progress >= PROGRESS_STEP) this.#setState({ kind: 'loading', progress: fraction });
  }

  #setState(state: HostState): void {
    this.#state = state;
    this.#changed.fire();
  }
}
