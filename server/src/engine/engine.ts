import type { ChatMessage, RemoteServerKind } from '../../protocol/index.js';
import type {
  NativeGenerateRequest,
  NativeGenerationResult,
  NativeLoadOptions,
  NativeMemoryEstimate,
  NativeMemoryReport,
  NativeModelFacts,
  Releasable,
} from './addon-types.js';
import type { RemoteTarget } from './remote/remote-target.js';

export interface ModelFacts extends NativeModelFacts {
  readonly capabilities: EngineCapabilities;
  /** Where the model is, if it is not in this process; null for one that is. */
  readonly elsewhere: Elsewhere | null;
}

/** What not every engine can do; whoever asks one looks here first. */
export interface EngineCapabilities {
  /** `heal`: typed tokens may be chosen again. Without it, they stay as they were typed. */
  readonly heals: boolean;
  /** `maxTokens: 0`: what is evaluated ahead saves a later request its time. */
  readonly prepares: boolean;
  /** `runnersUp` and `begin`: an answer can go on otherwise. */
  readonly branches: boolean;
  /** `tokenize` and `detokenize`. */
  readonly tokenizes: boolean;
  /** `prompt`: conversations are prompts like others. `messages`: `converse` takes them, and frames them itself. */
  readonly chat: 'prompt' | 'messages';
}

export const EVERY_CAPABILITY: EngineCapabilities = {
  heals: true,
  prepares: true,
  branches: true,
  tokenizes: true,
  chat: 'prompt',
};

/** An engine on another host. */
export interface Elsewhere {
  readonly host: string;
  readonly kind: RemoteServerKind;
  readonly chat: boolean;
  readonly thinking: 'none' | 'always' | 'optional';
}

/** A conversation for an engine that frames it with the model's template itself. */
export interface ConversationRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly think: boolean;
}

/** What an answer grows by. */
export type OnPiece = (piece: { readonly thinking: string; readonly answer: string }) => void;

/** What was said is what was streamed. */
export type ConversationResult = Pick<NativeGenerationResult, 'stopReason' | 'metrics'>;

export type GenerateRequest = NativeGenerateRequest;
export type GenerationResult = NativeGenerationResult;
export type MemoryReport = NativeMemoryReport;
export type MemoryEstimate = NativeMemoryEstimate;
export type { Releasable } from './addon-types.js';
export interface LoadOptions extends Omit<NativeLoadOptions, 'onProgress'> {
  /** A model that another machine runs; `path` then only names it. */
  readonly remote?: RemoteTarget;
}
/** What loading with these options would take; needs no engine, and reads the file's header only. */
export type EstimateMemory = (options: LoadOptions) => Promise<MemoryEstimate>;

/** What is asked for, before anybody has looked at what fits. */
export interface LoadRequest extends LoadOptions {
  /** For all that this server holds, in bytes; 0 (default) chooses from the machine and the model. */
  readonly budgetBytes?: number;
}

/**
 * The port through which the rest of the server reaches inference. Every rejection is an `EngineError`
 * (engine-error.ts). An aborted generation resolves with what it had; an aborted load rejects with `loadCancelled`.
 */
export interface Engine {
  load(options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts>;
  generate(request: GenerateRequest, onText: (text: string) => void, signal: AbortSignal): Promise<GenerationResult>;
  /**
   * Token ids of a text. With `parseSpecial`, text that spells a special token becomes that token: never for text that
   * is not the server's or the model's own.
   */
  tokenize(text: string, options?: { readonly parseSpecial?: boolean }): Promise<readonly number[]>;
  /** With `special`, special tokens are spelled; without, they contribute nothing. */
  detokenize(tokens: readonly number[], options?: { readonly special?: boolean }): Promise<string>;
  /** Only where `capabilities.chat` is `messages`. */
  converse?(request: ConversationRequest, onPiece: OnPiece, signal: AbortSignal): Promise<ConversationResult>;
  /** Null where the model's memory is another machine's. */
  memory(): MemoryReport | null;
  /** Gives memory back while the model stays loaded; resolves when it is done. */
  release(what: Releasable): Promise<void>;
  close(): Promise<void>;
}
