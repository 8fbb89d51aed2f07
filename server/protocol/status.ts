import type { EngineErrorInfo } from './engine-error.js';

/** Server to client, notification: sent on every change of state and after every completion. */
export const STATUS_NOTIFICATION = 'inkling/status';

/** Client to server, request without parameters: the current status, for a client that attaches late. */
export const STATUS_REQUEST = 'inkling/getStatus';

/**
 * The command of `InlineCompletionItem.command`, which editors run when the user accepts the whole item. Its one argument
 * is an `AcceptedItem`. The extension registers this id; the server offers it to other clients and executes it.
 */
export const ACCEPTED_COMMAND = 'inkling.internal.accepted';

export interface AcceptedItem {
  /** Unique within this server process. */
  readonly suggestionId: number;
}

export type EngineState =
  /** `progress` runs from 0 to 1: the file is read then, and a GPU may have to compile kernels for it. */
  | { readonly kind: 'loading'; readonly progress: number }
  | { readonly kind: 'ready' }
  /**
   * On a suggestion, unless `work` says otherwise: on an answer of the chat, an inline edit or a commit message, or on what
   * nobody waits for, such as a prompt that is evaluated ahead.
   */
  | { readonly kind: 'working'; readonly work?: 'answer' | 'background' }
  /** The model was unloaded to free memory; no error. `UnloadReason` says when it comes back. */
  | { readonly kind: 'unloaded'; readonly reason: UnloadReason }
  /** The user turned suggestions off; a loaded model stays in memory. */
  | { readonly kind: 'off' }
  | { readonly kind: 'error'; readonly error: EngineErrorInfo };

/** A server with OpenAI's API that can tokenize like vLLM counts as `vllm`. */
export type RemoteServerKind = 'llama-server' | 'vllm' | 'openai' | 'ollama';

/** A remote server, reachable or not. */
export interface RemoteSummary {
  /** With its port if the address names one. */
  readonly host: string;
  /** Null until known. */
  readonly kind: RemoteServerKind | null;
}

/** What the client shows of the loaded model. */
export interface ModelSummary {
  readonly name: string;
  readonly path: string;
  /** Null where a remote server does not say, as below. */
  readonly architecture: string | null;
  /** Such as `Q4_K_M`. */
  readonly quantization: string | null;
  readonly parameterCount: number | null;
  readonly fileBytes: number | null;
  readonly contextLength: number;
  readonly recurrent: boolean | null;
  readonly mtp: boolean | null;
  /** Whether a GPU of this machine has it, or a part of it; null where a remote server has it. */
  readonly onGpu: boolean | null;
  /** Whether it takes conversations: a local model needs a chat template. */
  readonly chat: boolean;
  /** Ships with Inkling. */
  readonly isStarter: boolean;
  /** VS Code's ids of the languages that it knows; it makes no automatic suggestions in others. Null where it does not say. */
  readonly languages: readonly string[] | null;
}

/**
 * Why the model is not in memory. After `idle` and `battery` it comes back with the next cursor move or request. After
 * `user` and `memoryPressure` it comes back when the user asks for a suggestion, a chat or the load. `memoryPressure`
 * turns into `idle` when the pressure ends.
 */
export type UnloadReason = 'idle' | 'battery' | 'user' | 'memoryPressure';

/** All in bytes. The parts are those of the completion model, unless they say otherwise. */
export interface MemorySummary {
  /** What counts against the budget: resident bytes, or the sum of the parts if that is more (weights on a GPU). */
  readonly inUseBytes: number;
  /** Set by the user, or derived from the machine. */
  readonly budgetBytes: number;
  readonly processRssBytes: number;
  /** The most of `inUseBytes` since the server has started. */
  readonly peakBytes: number;
  /** Without the MTP block. */
  readonly weightsBytes: number;
  readonly mtpWeightsBytes: number;
  readonly kvBytes: number;
  readonly recurrentBytes: number;
  /** Copies of recurrent state that prompts can return to. */
  readonly checkpointBytes: number;
  /** Swapped-out prompts. */
  readonly swappedBytes: number;
  /** The model for chat alone, with all its memory; null if one model serves both, or if it is not loaded. */
  readonly chatModel: { readonly name: string; readonly bytes: number } | null;
  /** Scratch buffers, rows of logits, the vocabulary index. */
  readonly computeBytes: number;
  /** The memory of the first device that holds the model: a GPU, or the machine. */
  readonly deviceTotalBytes: number;
  readonly deviceFreeBytes: number;
  /** What all models hold on GPUs, for each of them; empty where the processor has everything. */
  readonly gpus: readonly GpuMemory[];
  /** Models that the server of another window holds for this one too, and counts; 0 for none. */
  readonly elsewhereBytes: number;
  /** Models that this window uses no longer, and its server holds for other windows; 0 for none. */
  readonly keptBytes: number;
  /** The memory of this machine, or of the container that the server runs in. */
  readonly machineBytes: number;
  /** Every window has its own server: their number, this one included, and their memory together, GPUs' left out. */
  readonly windowCount: number;
  readonly windowBytes: number;
}

/** A GPU that holds a part of a model, in bytes. */
export interface GpuMemory {
  /** As its driver says, such as `NVIDIA GeForce RTX 3060`. */
  readonly name: string;
  readonly heldBytes: number;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The last completion that reached the engine. */
export interface CompletionSummary {
  /** From the request's arrival at the server to its answer, with the wait for another key. */
  readonly latencyMs: number;
  /** Null where a remote server does not say, as below. */
  readonly promptTokens: number | null;
  /** Tokens of the prompt whose state was already held. */
  readonly reusedTokens: number | null;
  readonly generatedTokens: number;
  /** Generated tokens that an earlier suggestion had said already; they cost nothing. */
  readonly replayedTokens: number | null;
  /** Tokens that the model computed after the prompt: one in each of its rounds, and accepted drafts. */
  readonly decodedTokens: number | null;
  readonly draftedTokens: number | null;
  readonly acceptedDraftTokens: number | null;
  /** Why the MTP head was given up on the way; null if it was not. */
  readonly draftFailure: string | null;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

export interface InklingStatus {
  readonly state: EngineState;
  /** The remote server; null for this machine. */
  readonly remote: RemoteSummary | null;
  readonly model: ModelSummary | null;
  /** Always of this machine, which holds nothing of a remote model. */
  readonly memory: MemorySummary | null;
  readonly lastCompletion: CompletionSummary | null;
  /** Null if the completion model also chats, or if there is no chat. */
  readonly chat: ChatEngineStatus | null;
}

/** A model for chat alone. */
export interface ChatEngineStatus {
  /** Also `unloaded` before its first question. */
  readonly state: EngineState;
  readonly path: string;
  /** Null until its first load. */
  readonly model: ModelSummary | null;
}
