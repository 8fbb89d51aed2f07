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
  /** What `load` with these options would take; needs no model and leaves the one that is loaded alone. */
  estimateMemory(options: LoadOptions): Promise<MemoryEstimate>;
  /** Gives memory back while the model stays loaded; resolves when it is done. */
  release(what: Releasable): Promise<void>;
  close(): Promise<void>;
}
