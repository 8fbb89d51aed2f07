import type { Engine, LoadOptions } from '../../../server/src/engine/port/engine.js';
import { EngineError } from '../../../server/src/engine/port/engine-error.js';
import type {
  GenerateRequest,
  GenerationMetrics,
  GenerationResult,
} from '../../../server/src/engine/port/generation.js';
import type { MemoryReport, Releasable } from '../../../server/src/engine/port/memory-report.js';
import {
  BLANK_CARD,
  EVERY_CAPABILITY,
  type LocalModelFacts,
  type ModelFacts,
} from '../../../server/src/engine/port/model-facts.js';
import type { Log } from '../../../server/src/util/log.js';

export const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export const FACTS: LocalModelFacts = {
  kind: 'local',
  path: '/models/scripted.gguf',
  name: 'Scripted',
  architecture: 'qwen35',
  quantization: 'Q4_K_M',
  fileBytes: 1,
  parameterCount: 1,
  contextLength: 2048,
  chatContextLength: 2048,
  recurrent: true,
  canShiftContext: false,
  mtp: true,
  fim: { prefix: 90, suffix: 91, middle: 92, pad: 93, repo: 94, fileSep: 95, suffixFirst: false },
  bosToken: 1,
  addBos: false,
  leadingBlank: false,
  chatTemplate: null,
  threads: 1,
  backend: 'CPU',
  capabilities: EVERY_CAPABILITY,
  ...BLANK_CARD,
};

/** The engine of lifecycle tests: each method waits until the test continues it. */
export class ScriptedEngine implements Engine {
  readonly requests: GenerateRequest[] = [];
  facts: ModelFacts = FACTS;
  /** The answer of generations, piece by piece. */
  pieces: readonly string[] = ['text'];
  stopReason: GenerationResult['stopReason'] = 'endOfText';
  failure: EngineError | null = null;
  /** Generations wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  /** Token facts that results contain. */
  choices: Partial<GenerationResult> = {};
  /** The answer if it must begin with these tokens; null for `pieces`. */
  onBegin: (tokens: readonly number[]) => readonly string[] | null = () => null;
  /** Each piece waits for the promise of its number. */
  pieceGate: (index: number) => Promise<void> = () => Promise.resolve();
  /** Called at the end of each generation. */
  measure: () => GenerationMetrics = () => METRICS;
  closed = false;
  /** Each kind of cache has this size until it is released. */
  holdsMegabytes = 0;
  readonly released: Releasable[] = [];
  reportProgress: (fraction: number) => void = () => undefined;
  loadedWith: LoadOptions | null = null;
  finishLoad: () => void = () => undefined;
  failLoad: (error: EngineError) => void = () => undefined;
  /** The process that runs it ends. */
  end: () => void = () => undefined;

  load(options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts> {
    this.loadedWith = options;
    this.reportProgress = onProgress;
    return new Promise((resolve, reject) => {
      this.finishLoad = () => resolve({ ...this.facts, path: options.path });
      this.failLoad = reject;
      signal.addEventListener('abort', () => reject(new EngineError('loadCancelled', 'cancelled')));
    });
  }

  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    this.requests.push(request);
    await this.gate;
    const { failure } = this;
    this.failure = null;
    if (failure !== null) throw failure;
    let text = '';
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const pieces = (request.begin && this.onBegin(request.begin)) ?? this.pieces;
    for (const [index, piece] of pieces.entries()) {
      await Promise.race([this.pieceGate(index), aborted]);
      if (signal.aborted) break;
      text += piece;
      onText(piece);
    }
    const stopReason = signal.aborted ? 'aborted' : this.stopReason;
    const answer = { text, tokens: [], logProbabilities: [], scores: [], runnersUp: [] };
    return { ...answer, stopReason, metrics: this.measure(), ...this.choices };
  }

  /** One token per character; the id is the character's code. */
  async tokenize(text: string): Promise<readonly number[]> {
    return Array.from(text, (character) => character.codePointAt(0) ?? 0);
  }

  async detokenize(tokens: readonly number[]): Promise<string> {
    return String.fromCodePoint(...tokens);
  }

  onDidEnd(listener: () => void): void {
    this.end = listener;
  }

  memory(): MemoryReport {
    const held = (what: Releasable) => (this.released.includes(what) ? 0 : this.holdsMegabytes * 1e6);
    return {
      totalBytes: 10,
      elsewhereBytes: 0,
      weightsBytes: 1,
      mtpWeightsBytes: 0,
      kvBytes: 1 + held('chat') + held('completion'),
      recurrentBytes: 1,
      checkpointBytes: held('checkpoints'),
      swappedBytes: held('swapped'),
      vocabularyBytes: 0,
      computeBytes: 3,
      graphBytes: 0,
      outputBytes: 4,
      completion: {
        kvBytes: 1 + held('completion'),
        recurrentBytes: 1,
        computeBytes: 3,
        graphBytes: 0,
        outputBytes: 4,
      },
      chat: {
        kvBytes: held('chat'),
        recurrentBytes: 0,
        computeBytes: 0,
        graphBytes: 0,
        outputBytes: 0,
      },
      processRssBytes: 5,
      peakRssBytes: 6,
      devices: [],
      deviceTotalBytes: 7,
      deviceFreeBytes: 8,
    };
  }

  async release(what: Releasable): Promise<void> {
    this.released.push(what);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

export const METRICS: GenerationMetrics = {
  promptTokens: 10,
  reusedTokens: 4,
  generatedTokens: 3,
  prefillMs: 1,
  decodeMs: 2,
  local: {
    evaluatedTokens: 6,
    replayedTokens: 0,
    rounds: 2,
    shiftedTokens: 0,
    draftedTokens: 0,
    acceptedDraftTokens: 0,
    draftFailure: null,
    stepMs: null,
    queuedMs: 0,
    preemptions: 0,
    processorMs: 0,
  },
};
