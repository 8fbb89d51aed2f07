import type { EngineErrorInfo } from './engine-error.js';

/** Server to client, notification: sent on every change of state and after every completion. */
export const STATUS_NOTIFICATION = 'inkling/status';

/** Client to server, request without parameters: the present status, for a client that attaches late. */
export const STATUS_REQUEST = 'inkling/getStatus';

/**
 * The argument list of `InlineCompletionItem.command`: the extension registers this command id and VS Code runs it
 * when the user accepts the whole item. Its one argument is an `AcceptedItem`.
 */
export const ACCEPTED_COMMAND = 'inkling.internal.accepted';

export interface AcceptedItem {
  /** Identifies the suggestion within this server's life. */
  readonly suggestionId: number;
}

export type EngineState =
  /** `progress` runs from 0 to 1. */
  | { readonly kind: 'loading'; readonly progress: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'working' }
  /** The model was given back to the system; no error. What brings it back, `UnloadReason` says. */
  | { readonly kind: 'unloaded'; readonly reason: UnloadReason }
  /** The user switched Inkling off; the engine stays as it is. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'error'; readonly error: EngineErrorInfo };

/** A server that speaks OpenAI's language and can tokenize like vLLM counts as `vllm`. */
export type RemoteServerKind = 'llama-server' | 'vllm' | 'openai' | 'ollama';

/** An engine on another machine, whether it can be reached or not. */
export interface RemoteSummary {
  /** With its port where the address names one. */
  readonly host: string;
  /** Null until it was asked. */
  readonly kind: RemoteServerKind | null;
}

/** What the user may know of the loaded model. */
export interface ModelSummary {
  readonly name: string;
  readonly path: string;
  /** Null where another machine does not say, as below. */
  readonly architecture: string | null;
  /** Such as `Q4_K - Medium`. */
  readonly quantization: string | null;
  readonly parameterCount: number | null;
  readonly fileBytes: number | null;
  readonly contextLength: number;
  readonly recurrent: boolean | null;
  readonly mtp: boolean | null;
  /** Whether it takes conversations: a local model needs a chat template. */
  readonly chat: boolean;
}

/**
 * Why the model is not in memory. After `idle` and `battery` it comes back by itself with the next move of the cursor or
 * the next request. After `user` and `memoryPressure` it comes back when the user asks for something: a suggestion, a
 * chat, the command to load it. When the pressure is over, `memoryPressure` turns into `idle`.
 */
export type UnloadReason = 'idle' | 'battery' | 'user' | 'memoryPressure';

/** Bytes throughout. What is said of parts is said of the model that completes. */
export interface MemorySummary {
  /** What counts against the budget: resident bytes, or the parts' sum where that is more (weights on a GPU). */
  readonly inUseBytes: number;
  /** The user's, or what the machine suggests. */
  readonly budgetBytes: number;
  readonly processRssBytes: number;
  readonly peakRssBytes: number;
  /** Without the MTP block. */
  readonly weightsBytes: number;
  readonly mtpWeightsBytes: number;
  readonly kvBytes: number;
  readonly recurrentBytes: number;
  /** Copies of recurrent state that prompts go back to. */
  readonly checkpointBytes: number;
  /** Evaluated prompts put away in whole. */
  readonly swappedBytes: number;
  /** The model that chats, with all that is held for it; null where one serves both, or it is not loaded. */
  readonly chatModel: { readonly name: string; readonly bytes: number } | null;
  /** Scratch buffers, rows of logits, the index of the vocabulary. */
  readonly computeBytes: number;
  /** Of the first device that holds the model: a GPU, or the machine. */
  readonly deviceTotalBytes: number;
  readonly deviceFreeBytes: number;
  /** Of this machine, or of the container that the server runs in. */
  readonly machineBytes: number;
  /** Every window has a server of its own: how many there are, this one included, and what they take together. */
  readonly windowCount: number;
  readonly windowBytes: number;
}

/** The last completion that reached the engine. */
export interface CompletionSummary {
  /** From the request's arrival at the server to its answer. */
  readonly latencyMs: number;
  /** Null where another machine does not say, as below. */
  readonly promptTokens: number | null;
  /** Of the prompt's tokens, those whose state was already held. */
  readonly reusedTokens: number | null;
  readonly generatedTokens: number;
  /** Of the generated tokens, those that an earlier suggestion had said already; they cost nothing. */
  readonly replayedTokens: number | null;
  readonly draftedTokens: number | null;
  readonly acceptedDraftTokens: number | null;
  /** Why the MTP head was given up on the way; null if it was not. */
  readonly draftFailure: string | null;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

export interface InklingStatus {
  readonly state: EngineState;
  /** Where the engine is; null for this machine. */
  readonly remote: RemoteSummary | null;
  readonly model: ModelSummary | null;
  /** Always this machine's: of a model that runs elsewhere it holds nothing. */
  readonly memory: MemorySummary | null;
  readonly lastCompletion: CompletionSummary | null;
  /** Null where the model above chats too, if it can. */
  readonly chat: ChatEngineStatus | null;
}

/** A model for chat alone. */
export interface ChatEngineStatus {
  /** `unloaded` before its first question, too. */
  readonly state: EngineState;
  readonly path: string;
  /** Null until it was loaded for the first time. */
  readonly model: ModelSummary | null;
}
