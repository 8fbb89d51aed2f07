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
  /** The user switched Inkling off; the engine stays as it is. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'error'; readonly error: EngineErrorInfo };

/** What the user may know of the loaded model. */
export interface ModelSummary {
  readonly name: string;
  readonly path: string;
  readonly architecture: string;
  /** Such as `Q4_K - Medium`. */
  readonly quantization: string;
  readonly parameterCount: number;
  readonly fileBytes: number;
  readonly contextLength: number;
  readonly recurrent: boolean;
  readonly mtp: boolean;
  /** Whether the GGUF carries a chat template. */
  readonly chat: boolean;
}

/** Bytes throughout. */
export interface MemorySummary {
  readonly processRssBytes: number;
  readonly peakRssBytes: number;
  readonly weightsBytes: number;
  /** KV cache, recurrent state and the checkpoints of it. */
  readonly contextBytes: number;
  readonly computeBytes: number;
  readonly deviceTotalBytes: number;
  readonly deviceFreeBytes: number;
}

/** The last completion that reached the engine. */
export interface CompletionSummary {
  /** From the request's arrival at the server to its answer. */
  readonly latencyMs: number;
  readonly promptTokens: number;
  /** Of the prompt's tokens, those whose state was already held. */
  readonly reusedTokens: number;
  readonly generatedTokens: number;
  /** Of the generated tokens, those that an earlier suggestion had said already; they cost nothing. */
  readonly replayedTokens: number;
  readonly draftedTokens: number;
  readonly acceptedDraftTokens: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

export interface InklingStatus {
  readonly state: EngineState;
  readonly model: ModelSummary | null;
  readonly memory: MemorySummary | null;
  readonly lastCompletion: CompletionSummary | null;
}
