import type { ChatEngineStatus, EngineErrorInfo } from '../../protocol/index.js';
import type { EngineClient } from '../engine/lifecycle/engine-client.js';
import type { EngineHost } from '../engine/lifecycle/engine-host.js';
import type { LoadRequest } from '../engine/port/engine.js';
import type { Slot } from '../engine/port/generation.js';
import type { ModelFacts } from '../engine/port/model-facts.js';
import { summarizeModel } from '../models/summarize-model.js';

/** The engine that answers, and the slot of it that chat uses. */
export interface ChatEngine {
  readonly host: EngineHost;
  readonly slot: Slot;
}

/**
 * Requests a model for chat alone; null where one model serves both.
 * @param unfitPath of a model that cannot serve both, since it cannot complete; null where none is known
 */
export type ChatLoadRequest = (unfitPath: string | null) => LoadRequest | null;

/** What follows for the chat's own model when the plan for the model of suggestions is refused. */
export type RefusalRemedy =
  | 'none'
  /** The refused model cannot complete: it chats alone, if the user named it for chat too. */
  | 'chatAlone'
  /** There is no room: the chat's own model gives way. */
  | 'unloadChat';

export function remedyFor({ code }: EngineErrorInfo, chatIsLoaded: boolean): RefusalRemedy {
  if (code === 'noFimTokens') return 'chatAlone';
  return code === 'outOfMemory' && chatIsLoaded ? 'unloadChat' : 'none';
}

/**
 * One engine serves suggestions and chat, unless the user names a model for chat alone. That model has an engine of its
 * own, which loads at the first question. If it does not fit, its state says so, and suggestions are not affected.
 */
export class ChatEngines {
  readonly #shared: EngineHost;
  readonly #own: EngineHost;
  readonly #loadRequest: ChatLoadRequest;
  /** The file of a model that was wanted for suggestions and cannot make any. */
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

  /** The engine of suggestions, which goes before the chat's own; null where they share no processor, or are one. */
  get moreUrgent(): EngineClient | null {
    const isElsewhere = this.#shared.lifecycle.wanted?.remote !== undefined;
    return this.#loadRequest(this.#unfitPath) === null || isElsewhere ? null : this.#shared.client;
  }

  /** Path of the model that will answer, if only its file can describe it yet; null where more is known, or nothing. */
  get unseenPath(): string | null {
    const loadRequest = this.#loadRequest(this.#unfitPath);
    if (loadRequest !== null) return this.#own.lifecycle.knownFacts === null ? loadRequest.path : null;
    const { state, knownFacts, wanted } = this.#shared.lifecycle;
    const isLoading = state.kind === 'loading' && knownFacts === null && wanted?.remote === undefined;
    return isLoading ? (wanted?.path ?? null) : null;
  }

  /** Null where one engine serves both. */
  get status(): ChatEngineStatus | null {
    const loadRequest = this.#loadRequest(this.#unfitPath);
    if (loadRequest === null) return null;
    const { knownFacts: facts, wanted, state } = this.#own.lifecycle;
    return {
      state: wanted === null ? { kind: 'unloaded', reason: 'idle' } : state,
      path: loadRequest.path,
      model: facts === null ? null : summarizeModel(facts),
    };
  }

  /** The settings may name another chat model, or none. The old one is unloaded, the new one loads at its first question. */
  reconsider(): void {
    const path = this.#loadRequest(this.#unfitPath)?.path ?? null;
    if (path === this.#requestedPath) return;
    this.#requestedPath = path;
    this.#own.lifecycle.forget();
  }

  /**
   * Acts on a refused plan for the model of suggestions. A chat model that is at work stays.
   * @returns whether there is more room now. Never rejects.
   */
  async makeRoom({ path }: LoadRequest, refusal: EngineErrorInfo): Promise<boolean> {
    const { client, lifecycle } = this.#own;
    switch (remedyFor(refusal, client.facts !== null)) {
      case 'none':
        return false;
      case 'chatAlone':
        this.#unfitPath = path;
        this.reconsider();
        return false;
      case 'unloadChat':
        await lifecycle.unload('memoryPressure');
        return client.facts === null;
    }
  }

  /**
   * Loads the model that answers, if need be, and waits for it. If the user chooses another model meanwhile, it waits for
   * that one. Never rejects, and returns at once when aborted.
   */
  async ready(signal: AbortSignal): Promise<void> {
    const { lifecycle, client } = this.current.host;
    const loadRequest = this.#loadRequest(this.#unfitPath);
    if (loadRequest !== null) {
      // A model that did not fit may fit now.
      if (lifecycle.state.kind === 'error' && client.facts === null) lifecycle.forget();
      lifecycle.want(loadRequest);
    }
    lifecycle.wake(true);
    await lifecycle.settled(signal);
    const isOther = this.#loadRequest(this.#unfitPath)?.path !== loadRequest?.path;
    if (isOther && !signal.aborted) await this.ready(signal);
  }
}

/** Tokens that a conversation and its answer share. */
export function chatContextLength(facts: ModelFacts, slot: ChatEngine['slot']): number {
  return slot === 'chat' ? facts.chatContextLength : facts.contextLength;
}
