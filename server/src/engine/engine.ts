import type {
  NativeGenerateRequest,
  NativeGenerationResult,
  NativeLoadOptions,
  NativeMemoryEstimate,
  NativeMemoryReport,
  NativeModelFacts,
  Releasable,
} from './addon-types.js';

export type ModelFacts = NativeModelFacts;
export type GenerateRequest = NativeGenerateRequest;
export type GenerationResult = NativeGenerationResult;
export type MemoryReport = NativeMemoryReport;
export type MemoryEstimate = NativeMemoryEstimate;
export type { Releasable } from './addon-types.js';
export type LoadOptions = Omit<NativeLoadOptions, 'onProgress'>;
/** What loading with these options would take; needs no engine, and reads the file's header only. */
export type EstimateMemory = (options: LoadOptions) => Promise<MemoryEstimate>;

/** What is asked for, before anybody has looked at what fits. */
export interface LoadWish extends LoadOptions {
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
  memory(): MemoryReport;
  /** Gives memory back while the model stays loaded; resolves when it is done. */
  release(what: Releasable): Promise<void>;
  close(): Promise<void>;
}
