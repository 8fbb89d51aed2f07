import { type EngineErrorInfo, t } from '../../../protocol/index.js';
import { Emitter } from '../../util/emitter.js';
import type { Log } from '../../util/log.js';
import type { ConversationRequest, ConversationResult, Engine, OnPiece } from '../port/engine.js';
import { EngineError, toEngineError } from '../port/engine-error.js';
import type { GenerateRequest, GenerationResult, Priority } from '../port/generation.js';
import type { MemoryReport, Releasable } from '../port/memory-report.js';
import type { ModelFacts } from '../port/model-facts.js';
import type { EngineLoader } from './engine-loader.js';
import { REQUEST_ERRORS, withFailure, withRunning } from './host-state.js';
import type { HostedEngine } from './hosted-engine.js';

/** What a model did for one request. */
export interface Generated {
  readonly facts: ModelFacts;
  readonly result: GenerationResult;
}

/**
 * What users of a loaded model ask of it. It never loads one: a request without a model gets a typed error at once.
 * Requests are counted here, and their failures become part of the host's state.
 */
export class EngineClient {
  readonly #hosted: HostedEngine;
  readonly #loader: Pick<EngineLoader, 'lose'>;
  readonly #log: Log;
  readonly #generated = new Emitter<Generated>();
  /** Running generations of the completion's priority. */
  #completing = 0;

  constructor(hosted: HostedEngine, loader: Pick<EngineLoader, 'lose'>, log: Log) {
    this.#hosted = hosted;
    this.#loader = loader;
    this.#log = log;
    this.onDidChange = hosted.onDidChange;
  }

  readonly onDidChange: HostedEngine['onDidChange'];

  /** Fires for each generation that did not fail, finished or not. */
  readonly onDidGenerate = this.#generated.event;

  /** Facts of the loaded model; null while none is loaded. */
  get facts(): ModelFacts | null {
    return this.#hosted.loaded?.facts ?? null;
  }

  /** A suggestion is being made: less urgent work for the processor waits. */
  get isCompleting(): boolean {
    return this.#completing > 0;
  }

  /** Generations under way, those that nobody waits for among them. */
  get running(): number {
    return this.#hosted.loaded?.running ?? 0;
  }

  /** Milliseconds since the model was last used, or loaded; 0 while it is in use. */
  get idleMs(): number {
    return this.#hosted.idleMs;
  }

  /** Null while no model is loaded, or where a remote server holds it. */
  memory(): MemoryReport | null {
    return this.#hosted.loaded?.engine.memory() ?? null;
  }

  /** Gives memory back while the model stays loaded; a no-op while none is. */
  async release(what: Releasable): Promise<void> {
    const { loaded } = this.#hosted;
    if (loaded === null) return;
    await loaded.engine.release(what);
    this.#hosted.announce();
  }

  /** Until `work` has ended, only the user unloads the model, also between two generations. */
  keep<T>(work: () => Promise<T>): Promise<T> {
    return this.#hosted.keep(work);
  }

  /** @throws EngineError `notLoaded` while no model is loaded, and what the engine itself reports */
  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const priority = request.priority ?? request.slot ?? 'completion';
    const { facts } = this;
    const result = await this.#use((engine) => engine.generate(request, onText, signal), priority);
    if (facts !== null) this.#generated.fire({ facts, result });
    return result;
  }

  /** As the port's. @throws EngineError as `generate` */
  async converse(request: ConversationRequest, onPiece: OnPiece, signal: AbortSignal): Promise<ConversationResult> {
    return this.#use((engine) => {
      if (engine.converse === undefined)
        throw new EngineError('invalidArgument', t('This engine accepts prompts only'));
      return engine.converse(request, onPiece, signal);
    });
  }

  /** As the port's. @throws EngineError as `generate` */
  async tokenize(text: string, options?: { readonly parseSpecial?: boolean }): Promise<readonly number[]> {
    return this.#ask((engine) => engine.tokenize(text, options));
  }

  /** As the port's. @throws EngineError as `generate` */
  async detokenize(tokens: readonly number[], options?: { readonly special?: boolean }): Promise<string> {
    return this.#ask((engine) => engine.detokenize(tokens, options));
  }

  /** A remote server that cannot be reached counts as lost, for every later call too. */
  async #ask<T>(call: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = this.#engine();
    return call(engine).catch(async (thrown: unknown) => {
      const error = toEngineError(thrown);
      if (error.code === 'remoteUnreachable') await this.#loader.lose(engine, error.info);
      throw error;
    });
  }

  async #use<T>(call: (engine: Engine) => Promise<T>, priority: Priority = 'chat'): Promise<T> {
    const engine = this.#engine();
    const completes = priority === 'completion';
    this.#hosted.noteUse();
    this.#completing += completes ? 1 : 0;
    this.#hosted.become(withRunning(this.#hosted.state, engine, +1, priority));
    let failure: EngineErrorInfo | 'as before' | null = 'as before';
    try {
      const result = await this.#ask(call);
      failure = null;
      return result;
    } catch (thrown) {
      const error = toEngineError(thrown);
      if (error.code !== 'remoteUnreachable' && !REQUEST_ERRORS.has(error.code)) {
        this.#log.error(`Generation failed (${error.code}): ${error.message}`);
        failure = error.info;
      }
      throw error;
    } finally {
      this.#hosted.noteUse();
      this.#completing -= completes ? 1 : 0;
      const state = withRunning(this.#hosted.state, engine, -1, priority);
      // Announced even if the engine went away meanwhile: others wait until no suggestion is being made.
      this.#hosted.become(failure === 'as before' ? state : withFailure(state, engine, failure));
    }
  }

  #engine(): Engine {
    const { loaded } = this.#hosted;
    if (loaded === null) throw new EngineError('notLoaded', t('No model is loaded'));
    return loaded.engine;
  }
}
