import type { ChatMessage, EngineErrorInfo, ShareMode } from '../../../protocol/index.js';
import type { GenerateRequest, GenerationResult } from './generation.js';
import type { MemoryEstimate, MemoryReport, Releasable } from './memory-report.js';
import type { ModelFacts } from './model-facts.js';
import type { RemoteTarget } from './remote-target.js';

export interface LoadOptions {
  readonly path: string;
  /** Tokens; 0 (default) = the model's training context, at most 8192. */
  readonly contextLength?: number;
  /** Tokens of context of the chat slot; 0 (default) as above. */
  readonly chatContextLength?: number;
  /** 0 (default) = as many as compute best here. */
  readonly threads?: number;
  /** Host memory for checkpoints of each slot, in bytes; the engine chooses by default. */
  readonly checkpointBudgetBytes?: number;
  /** Host memory for swapped-out prompts, in bytes; the engine chooses by default. */
  readonly swapBudgetBytes?: number;
  /** Refuse a model without fill-in-the-middle tokens (`noFimTokens`). Default true. */
  readonly requireFim?: boolean;
  /** The device that gets layers, such as `Vulkan0`; by default the processor, or in a build for one kind of GPU that one. */
  readonly device?: string;
  /** 0 loads nothing onto a GPU and leaves it alone; by default as much as it holds. */
  readonly gpuLayers?: number;
  /** A model that a remote server runs; `path` then only names it. */
  readonly remote?: RemoteTarget;
  /** Windows share the model under this name; absent for one of this window alone. */
  readonly offer?: {
    readonly name: string;
    /** False where another window holds the model, so that nothing has to fit here. */
    readonly isPlanned: boolean;
    /** The plan's drawback, which the other windows show too; absent for none. */
    readonly drawback?: EngineErrorInfo;
  };
}

/** What is asked for, before the planner has looked at what fits. */
export interface LoadRequest extends LoadOptions {
  /** The limit of all that this server holds, in bytes; 0 (default) chooses from the machine and the model. */
  readonly budgetBytes?: number;
  /** Tokens of a suggestion's longest prompt and answer. Where `contextLength` is 0, its context gets no more; 0 = no limit. */
  readonly suggestionTokens?: number;
  /** `inkling.engine.device`; absent as `auto`. */
  readonly deviceSetting?: string;
  /** Free memory of the device, where it is not the machine's, in bytes; absent for 0. */
  readonly deviceBytes?: number;
  /** Whether windows share the model; absent for not. */
  readonly share?: ShareMode;
}

/** What a load with these options would take. Needs no engine, and reads the file's header only. */
export type EstimateMemory = (options: LoadOptions) => Promise<MemoryEstimate>;

/** A conversation for an engine that frames it with the model's template itself. */
export interface ConversationRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly think: boolean;
}

/** Receives each piece by which an answer grows. */
export type OnPiece = (piece: { readonly thinking: string; readonly answer: string }) => void;

/** How a conversation's answer ended. Its text was streamed. */
export type ConversationResult = Pick<GenerationResult, 'stopReason' | 'metrics'>;

/**
 * The port through which the rest of the server reaches inference. Every rejection is an `EngineError`
 * (engine-error.ts). An aborted generation resolves with what it had; an aborted load rejects with `loadCancelled`.
 */
export interface Engine {
  /** Rejects with the reason where the model cannot be loaded. @param onProgress gets a fraction from 0 to 1 */
  load(options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts>;
  /** @param onText gets each piece of the text, as whole characters */
  generate(request: GenerateRequest, onText: (text: string) => void, signal: AbortSignal): Promise<GenerationResult>;
  /**
   * Token ids of a text. With `parseSpecial`, text that spells a special token becomes that token. Use it only for text
   * that is the server's or the model's own.
   */
  tokenize(text: string, options?: { readonly parseSpecial?: boolean }): Promise<readonly number[]>;
  /** With `special`, special tokens are spelled; without, they contribute nothing. */
  detokenize(tokens: readonly number[], options?: { readonly special?: boolean }): Promise<string>;
  /** Only an engine with a remote model has it. */
  converse?(request: ConversationRequest, onPiece: OnPiece, signal: AbortSignal): Promise<ConversationResult>;
  /** Null where a remote server holds the model. */
  memory(): MemoryReport | null;
  /** Gives memory back while the model stays loaded; resolves when it is done. */
  release(what: Releasable): Promise<void>;
  /**
   * Only an engine that another process of this machine may end has it. Called after the load.
   *
   * @param listener called once, when that process has ended: the model can be loaded again
   */
  onDidEnd?(listener: () => void): void;
  /** What the owner's plan lacks, for the user to know; null for nothing. Only a shared engine has it, after a load. */
  drawback?(): EngineErrorInfo | null;
  /** Milliseconds since another process last used this engine; 0 while one does. Only a shared engine has it. */
  idleElsewhereMs?(): number;
  /** Ends running work and frees everything; resolves when it is done. */
  close(): Promise<void>;
}
