import type { EngineErrorCode } from '../../../protocol/index.js';
import type { GenerateRequest, PromptPart, StopReason } from '../port/generation.js';

/**
 * The native addon as JavaScript sees it (native/addon). Only load-addon.ts and addon-engine.ts import this file;
 * the rest of the server uses the `Engine` port, which has types of its own.
 */
export interface NativeAddon {
  readonly llamaVersion: string;
  /** Instruction set this binary was compiled for: `avx2`, `avx512`, `arm64`, `dotprod`, `generic`; or `vulkan`. */
  readonly flavour: string;
  readonly Engine: new (options?: NativeEngineOptions) => NativeEngine;
  readonly Watchdog: new (limits: NativeWatchdogLimits) => NativeWatchdog;
  /** What `load` with these options would take, from the file's header alone; off the JavaScript thread. */
  estimateMemory(options: NativeLoadOptions): Promise<NativeMemoryEstimate>;
}

/** inkling-vulkan.node. Loading it starts the drivers. */
export interface NativeGpuAddon extends NativeAddon {
  /** In Vulkan's order, with the memory that is free now; empty where Vulkan does not start. */
  devices(): readonly NativeGpuDevice[];
  /** Has a device compute and compares with the processor. Rejects with `deviceFailed`. */
  tryDevice(id: string): Promise<{ readonly deviceMs: number; readonly cpuMs: number }>;
}

export interface NativeGpuDevice {
  /** What a load names, such as `Vulkan0`. */
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly kind: 'discrete' | 'integrated' | 'cpu';
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** In milliseconds; 0 does not watch. */
export interface NativeWatchdogLimits {
  /** How long the loop may stand still. */
  readonly stallMs: number;
  /** How long the process may outlive its client. */
  readonly abandonedMs: number;
}

/** A thread that ends the process, with a line on stderr and without any exit handler. It keeps no process alive. */
export interface NativeWatchdog {
  /** Says that the loop still turns. */
  beat(): void;
  /** Sets the client's process id. */
  follow(processId: number): void;
  /** SIGTERM ends the process within two seconds, even if its loop stands still. Call it once the loop listens. */
  watchSigterm(): void;
  /** Idempotent. */
  stop(): void;
}

/** inkling-cpu.node, compiled without any instruction-set flag: says what this processor can run. */
export interface NativeCpuProbe {
  /** Best first, such as `['avx512', 'avx2']`; empty where no flavour runs. */
  flavours(): string[];
}

export interface NativeEngineOptions {
  /** llama.cpp's own log lines, level 1 (debug) to 4 (error). Called on the JavaScript thread. */
  readonly onLog?: (level: number, text: string) => void;
}

/** An `Error` thrown by the addon; a bad argument is also a `TypeError`. */
export interface NativeEngineError extends Error {
  readonly code: EngineErrorCode;
}

export interface NativeLoadOptions {
  readonly path: string;
  /** Tokens; 0 = min(model's training context, 8192). */
  readonly contextLength?: number;
  /** The context of the chat slot, which exists from its first request on; 0 as above. */
  readonly chatContextLength?: number;
  /**
   * 0 = one for each performance core, within the quota of the control group; at most 2 where a GPU has all layers, and at
   * most 8 for a model below 256 MiB.
   */
  readonly threads?: number;
  /** Most tokens per decode call while prefilling, the grain of cancellation; 0 = 256 on the CPU, 1024 on a GPU. */
  readonly batchSize?: number;
  /** The one device that gets layers, such as `Vulkan0`; by default every GPU that this flavour knows. */
  readonly device?: string;
  /** Layers on the GPU; -1 = all. */
  readonly gpuLayers?: number;
  /** Load the model's own MTP block where it has one. Default true. */
  readonly mtp?: boolean;
  /** Element type of the KV cache. Default `f16`. */
  readonly kvType?: 'f16' | 'q8_0';
  /** Host memory for checkpoints of recurrent state, in bytes; -1 (default) chooses from the model's size. */
  readonly checkpointBudgetBytes?: number;
  /** Host memory for swapped-out prompts; -1 (default) as above, 0 = none. */
  readonly swapBudgetBytes?: number;
  /** Refuse a model without fill-in-the-middle tokens (`noFimTokens`). Default true. */
  readonly requireFim?: boolean;
  /** 0 to 1, at most about 100 calls. */
  readonly onProgress?: (fraction: number) => void;
}

/** Token ids; -1 where the vocabulary has no such token. Prefix and suffix always exist. */
export interface NativeFimTokens {
  readonly prefix: number;
  readonly suffix: number;
  readonly middle: number;
  readonly pad: number;
  readonly repo: number;
  readonly fileSep: number;
  /** The spelling is that of a family that was trained with the suffix first. */
  readonly suffixFirst: boolean;
}

export interface NativeModelFacts {
  readonly path: string;
  readonly name: string;
  readonly architecture: string;
  readonly quantization: string;
  readonly fileBytes: number;
  readonly weightsBytes: number;
  readonly parameterCount: number;
  /** Trunk layers, without the MTP block. */
  readonly layerCount: number;
  readonly mtpLayerCount: number;
  readonly vocabularySize: number;
  readonly trainingContextLength: number;
  readonly contextLength: number;
  /** The context of the chat slot, whether it exists or not. */
  readonly chatContextLength: number;
  /** Has layers with recurrent state (a hybrid model too). */
  readonly recurrent: boolean;
  /** `whenContextFull: 'shift'` has an effect: every layer has attention over the whole context. */
  readonly canShiftContext: boolean;
  /** Null where prefix, suffix or middle is missing. */
  readonly fim: NativeFimTokens | null;
  readonly bosToken: number;
  readonly addBos: boolean;
  /** The model was trained with a blank before each text. The engine adds none. */
  readonly leadingBlank: boolean;
  readonly chatTemplate: string | null;
  readonly threads: number;
  /** Such as `CPU` or `Metal`. */
  readonly backend: string;
}

/** Memory that can be given back while the model stays loaded; what is released is made again when it is needed. */
export type Releasable = 'checkpoints' | 'swapped' | 'chat' | 'completion';

/** The port's request, and what only benchmarks and tests ask of the addon. */
export interface NativeGenerateRequest extends GenerateRequest {
  /** Where `auto` may take drafts from, besides `draft`. Default: both. */
  readonly draftSources?: readonly ('mtp' | 'lookup')[];
}

export interface NativeGenerationMetrics {
  readonly promptTokens: number;
  /** Tokens of the prompt whose state was already held. */
  readonly reusedTokens: number;
  /** What was done with the held state to get there. */
  readonly reuse: 'append' | 'rollBack' | 'restore' | 'rebuild';
  /** Every token that went through the trunk, rejected drafts among them. */
  readonly evaluatedTokens: number;
  readonly generatedTokens: number;
  /** Forgotten to make room in the context. */
  readonly shiftedTokens: number;
  /** Generated tokens that an earlier generation had said already; they cost nothing. */
  readonly replayedTokens: number;
  /** Trunk decodes after the prefill. */
  readonly rounds: number;
  readonly draftedTokens: number;
  readonly acceptedDraftTokens: number;
  /** Evaluations of the MTP head, whether their drafts were offered or not. */
  readonly mtpSteps: number;
  /** Why the MTP head was given up; the generation went on without its drafts, and its answer is the same. */
  readonly draftFailure?: string;
  /** By depth: how often a draft was offered there, and accepted. */
  readonly offeredByDepth: readonly number[];
  readonly acceptedByDepth: readonly number[];
  /**
   * Batches of up to so many tokens compute the very numbers of single ones, so that reuse and drafts change no answer;
   * measured in the idle time after the load. 0: not known of this backend.
   */
  readonly exactRows: number;
  /** By n: what evaluating n + 1 tokens costs here; zeros until it is measured, in the idle time after the load. */
  readonly verifyMs: readonly number[];
  /** One step of the MTP head; 0 without one. */
  readonly draftMs: number;
  /** From the job's start on the engine thread. */
  readonly prefillMs: number;
  readonly decodeMs: number;
  /** Time spent behind other jobs before the start. */
  readonly queuedMs: number;
  /** How often more urgent generations ran in between; their time is no part of the times above. */
  readonly preemptions: number;
  readonly prefillTokensPerSecond: number;
  readonly decodeTokensPerSecond: number;
  readonly peakRssBytes: number;
}

export interface NativeGenerationResult {
  /** Everything that was streamed, joined. */
  readonly text: string;
  readonly tokens: readonly number[];
  /** Natural logarithms of the model's own probability of each of `tokens`. */
  readonly logProbabilities: readonly number[];
  /** The same among the tokens that can write the typed bytes; equal to them after the typed text. */
  readonly givenTypedLogProbabilities: readonly number[];
  /** UTF-16 units that each of `tokens` wrote of the text; a character counts for the token that begins it. */
  readonly pieceLengths: readonly number[];
  /** For each of `tokens` the next best one, -1 where there was no choice; only if they were asked for. */
  readonly runnersUp?: readonly number[];
  readonly runnerUpLogProbabilities?: readonly number[];
  readonly stopReason: StopReason;
  readonly metrics: NativeGenerationMetrics;
}

export interface NativeGeneration {
  /** Rejects with a NativeEngineError; an abort resolves, with `stopReason: 'aborted'` and the text so far. */
  readonly result: Promise<NativeGenerationResult>;
  /** Idempotent; a no-op after the end. */
  abort(): void;
}

/** What a slot holds, in bytes; zero while it does not exist. */
export interface NativeSlotMemory {
  readonly kvBytes: number;
  readonly recurrentBytes: number;
  /** Copies of recurrent state in host memory. */
  readonly checkpointBytes: number;
  /** Swapped-out prompts, in host memory. */
  readonly swappedBytes: number;
  readonly computeBytes: number;
  /** What llama.cpp builds and keeps its compute graphs in. */
  readonly graphBytes: number;
  readonly outputBytes: number;
}

/** Bytes throughout. The parts that slots have are the sums over both. */
export interface NativeMemoryParts extends NativeSlotMemory {
  /** The sum of all parts; `contextBytes` is a sum of two of them and counts once. */
  readonly totalBytes: number;
  /** Trunk, embeddings and head, without the MTP block; once, however they are mapped or repacked. */
  readonly weightsBytes: number;
  readonly mtpWeightsBytes: number;
  /** Tables of tokens and merges, and the byte index for token healing. */
  readonly vocabularyBytes: number;
  /** KV cache and recurrent state. */
  readonly contextBytes: number;
}

/** What lies in the memory of one device, in bytes. */
export interface NativeDeviceMemory {
  /** Such as `CPU` or `Vulkan0`. */
  readonly name: string;
  /** As its driver says. */
  readonly description: string;
  readonly weightsBytes: number;
  readonly contextBytes: number;
  readonly computeBytes: number;
  /** The memory that the device has; on Metal the recommended working set. */
  readonly totalBytes: number;
  readonly freeBytes: number;
}

export interface NativeMemoryReport extends NativeMemoryParts {
  readonly completion: NativeSlotMemory;
  readonly chat: NativeSlotMemory;
  /** The CPU, then each GPU that holds something; none without a model. */
  readonly devices: readonly NativeDeviceMemory[];
  /** The memory of the last of `devices`. */
  readonly deviceTotalBytes: number;
  readonly deviceFreeBytes: number;
  readonly processRssBytes: number;
  readonly peakRssBytes: number;
}

/** What the report would say after a load: with the completion slot, without checkpoints and swapped-out prompts. */
export interface NativeMemoryEstimate extends NativeMemoryParts {
  /** `totalBytes` and what the first requests add; what a load compares with its limit. */
  readonly neededBytes: number;
  /** The chat slot, once it is in use; not part of the above. */
  readonly chatSlotBytes: number;
  /** What of the weights, and of each slot, lies in the memory of a GPU. */
  readonly deviceWeightsBytes: number;
  readonly deviceCompletionBytes: number;
  readonly deviceChatBytes: number;
  /** The free memory of the GPU that the options name, now; 0 where they name none. */
  readonly deviceFreeBytes: number;
  /** Layers of the trunk. */
  readonly layerCount: number;
  /** What each slot's checkpoints, and all swapped-out prompts, may come to hold besides. */
  readonly checkpointBudgetBytes: number;
  readonly swapBudgetBytes: number;
  readonly contextLength: number;
  /** What each token of context adds. */
  readonly bytesPerToken: number;
  /** What this machine has to spare now; 0 where it does not say. */
  readonly availableBytes: number;
}

/** Key vectors as they go into the cache: after projection, norm and rotation by position. */
export interface NativeKeyVectors {
  /** The layers of the model that have attention, ascending. */
  readonly layers: readonly number[];
  /** Key and value heads of a layer. */
  readonly heads: number;
  readonly tokens: number;
  readonly headDim: number;
  /** `[layer][head][token][headDim]`, the last index running fastest. */
  readonly values: Float32Array;
}

export interface NativeEngine {
  load(options: NativeLoadOptions): Promise<NativeModelFacts>;
  /** Makes a running `load` reject with `loadCancelled`; otherwise a no-op. */
  cancelLoad(): void;
  readonly facts: NativeModelFacts | null;
  tokenize(text: string, options?: { readonly parseSpecial?: boolean }): Promise<Int32Array>;
  detokenize(tokens: readonly number[] | Int32Array, options?: { readonly special?: boolean }): Promise<string>;
  /** Queued by priority. `onText` is called on the JavaScript thread with whole UTF-8 characters. */
  generate(request: NativeGenerateRequest, onText?: (text: string) => void): NativeGeneration;
  /**
   * Gives memory back: at once, between two steps of what runs; a slot that a generation is on, at that generation's
   * end. Resolves when it is done.
   */
  release(what: Releasable): Promise<void>;
  /**
   * For debugging: evaluates the prompt in a context of its own, when nothing else is to do, and gives the keys of its
   * attention layers. What comes meanwhile waits.
   */
  inspectKeys(prompt: readonly PromptPart[]): Promise<NativeKeyVectors>;
  memory(): NativeMemoryReport;
  /** Stops what runs, frees everything, joins the engine thread. Idempotent. */
  close(): Promise<void>;
}
