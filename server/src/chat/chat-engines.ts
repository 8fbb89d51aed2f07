import type { ChatEngineStatus } from '../../protocol/index.js';
import type { LoadRequest, ModelFacts } from '../engine/engine.js';
import type { EngineHost } from '../engine/engine-host.js';
import type { LoadPlan, PlanLoad } from '../engine/plan-load.js';
import { summarizeModel } from '../models/summarize-model.js';
import type { Disposable } from '../util/emitter.js';

/** Who answers, and in which of its contexts. */
export interface ChatEngine {
  readonly host: EngineHost;
  readonly slot: 'completion' | 'chat';
}

/**
 * For a model of chat's own; null where one serves both.
 * @param unfitPath of a model that cannot serve both, as it cannot complete; null where none is known
 */
export type ChatLoadRequest = (unfitPath: string | null) => LoadRequest | null;

/**
 * One engine serves suggestions and chat, unless the user names a model for chat alone. That one has an engine of its own,
 * which loads at the first question; where it does not fit, it says so, and the other one goes on with its suggestions.
 */
export class ChatEngines {
  readonly #shared: EngineHost;
  readonly #own: EngineHost;
  readonly #loadRequest: ChatLoadRequest;
  /** Of a model that was wanted for suggestions and cannot make any. */
  #unfitPath: string | null = null;
  #requestedPath: string | null = null;

  constructor(shared: EngineHost, own: EngineHost, loadRequest: ChatLoadRequest) {
    this.#shared = shared;
    this.#own = own;
    this.#loadRequest = loadRequest;
  }

  get current(): ChatEngine {
    return this.#loadRequest(this.#unfitPath) === null
      ? { host: this.#shared, slot: 'chat' }
      : { host: this.#own, slot: 'completion' };
  }

  /** The engine of suggestions, to which the chat's own stands back; null where they share no processor, or are one. */
  get other(): EngineHost | null {
    return this.#loadRequest(this.#unfitPath) === null || this.#shared.wanted?.remote !== undefined
      ? null
      : this.#shared;
  }

  /** Path of the model that will answer, where only its file can say what it is; null where more is known, or nothing. */
  get unseenPath(): string | null {
    const loadRequest = this.#loadRequest(this.#unfitPath);
    if (loadRequest !== null) return this.#own.knownFacts === null ? loadRequest.path : null;
    const { state, knownFacts, wanted } = this.#shared;
    const isLoading = state.kind === 'loading' && knownFacts === null && wanted?.remote === undefined;
    return isLoading ? (wanted?.path ?? null) : null;
  }

  /** Null where one engine serves both. */
  get status(): ChatEngineStatus | null {
    const loadRequest = this.#loadRequest(this.#unfitPath);
    if (loadRequest === null) return null;
    const facts = this.#own.knownFacts;
    return {
      state: this.#own.isIdle ? { kind: 'unloaded', reason: 'idle' } : this.#own.state,
      path: loadRequest.path,
      model: facts === null ? null : summarizeModel(facts),
    };
  }

  onDidChange(listener: () => void): Disposable {
    return this.#own.onDidChange(listener);
  }

  /** Another model, or none, may be wanted for chat: the one that was is given back, the new one loads when it is asked. */
  reconsider(): void {
    const path = this.#loadRequest(this.#unfitPath)?.path ?? null;
    if (path === this.#requestedPath) return;
    this.#requestedPath = path;
    this.#own.forget();
  }

  /**
   * How the model of suggestions can be loaded: where there is no room for it, the one for chat alone is given back first,
   * unless it is at work. One that cannot complete may be named for chat, too: then it chats alone. Never rejects.
   */
  async planBeside(plan: PlanLoad, loadRequest: LoadRequest): Promise<LoadPlan> {
    const planned = await plan(loadRequest);
    const refusal = planned.kind === 'refused' ? planned.error.code : null;
    if (refusal === 'noFimTokens') {
      this.#unfitPath = loadRequest.path;
      this.reconsider();
    }
    if (refusal !== 'outOfMemory' || this.#own.facts === null) return planned;
    await this.#own.unload('memoryPressure');
    return this.#own.facts === null ? plan(loadRequest) : planned;
  }

  /**
   * Loads what answers, if need be, and waits for it: where the user chooses another model meanwhile, for that one. Never
   * rejects, and returns at once when aborted.
   */
  async ready(signal: AbortSignal): Promise<void> {
    const { host } = this.current;
    const loadRequest = this.#loadRequest(this.#unfitPath);
    if (loadRequest !== null) {
      // What did not fit may fit now.
      if (host.state.kind === 'error' && host.facts === null) host.forget();
      host.want(loadRequest);
    }
    host.wake(true);
    await host.settled(signal);
    const isOther = this.#loadRequest(this.#unfitPath)?.path !== loadRequest?.path;
    if (isOther && !signal.aborted) await this.ready(signal);
  }
}

/** Tokens that a conversation and its answer share. */
export function chatContextLength(facts: ModelFacts, slot: ChatEngine['slot']): number {
  return slot === 'chat' ? facts.chatContextLength : facts.contextLength;
}
