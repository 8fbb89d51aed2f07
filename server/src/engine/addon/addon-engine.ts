import { t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import { EngineError, toEngineError } from '../port/engine-error.js';
import type { GenerateRequest, GenerationMetrics, GenerationResult, RunnerUp, TokenScore } from '../port/generation.js';
import type { MemoryReport, Releasable } from '../port/memory-report.js';
import { BLANK_CARD, EVERY_CAPABILITY, isOnGpu, type LocalModelFacts, type ModelCard } from '../port/model-facts.js';
import { quantizationName } from '../port/quantization-name.js';
import type {
  NativeAddon,
  NativeEngine,
  NativeFimTokens,
  NativeGenerationMetrics,
  NativeGenerationResult,
  NativeModelFacts,
} from './addon-types.js';

/** Runs a load of a file, which may end this process. The load calls `progressed` whenever it gets on. */
export type DuringLoad = <T>(path: string, load: (progressed: () => void) => Promise<T>) => Promise<T>;

/** Never rejects. */
export type ReadCard = (path: string) => Promise<ModelCard>;

/** Runs what a GPU does, which may end this process. */
export type DuringWork = <T>(work: () => Promise<T>) => Promise<T>;

/** The `Engine` port over the native addon: translates its types, error codes and AbortSignals. */
export class AddonEngine implements Engine {
  readonly #addon: NativeAddon | (() => NativeAddon);
  readonly #log: Log;
  readonly #duringLoad: DuringLoad;
  readonly #readCard: ReadCard;
  readonly #duringGpuWork: DuringWork;
  #made: NativeEngine | null = null;
  #isOnGpu = false;

  /**
   * @param addon a function is called within the first load: it may start drivers
   * @param duringGpuWork around each answer of a model that is on a GPU
   */
  constructor(
    addon: NativeAddon | (() => NativeAddon),
    log: Log,
    duringLoad: DuringLoad = (_path, load) => load(() => undefined),
    readCard: ReadCard = async () => BLANK_CARD,
    duringGpuWork: DuringWork = (work) => work(),
  ) {
    this.#addon = addon;
    this.#log = log;
    this.#duringLoad = duringLoad;
    this.#readCard = readCard;
    this.#duringGpuWork = duringGpuWork;
  }

  get #native(): NativeEngine {
    this.#made ??= mapErrors(() => {
      const { Engine } = typeof this.#addon === 'function' ? this.#addon() : this.#addon;
      return new Engine({ onLog: (level, text) => forward(this.#log, level, text) });
    });
    return this.#made;
  }

  async load(
    options: LoadOptions,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<LocalModelFacts> {
    if (signal.aborted) throw cancelled();
    const cancel = (): void => this.#made?.cancelLoad();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const load = async (progressed: () => void) => {
        if (signal.aborted) throw cancelled();
        const reportProgress = (fraction: number): void => {
          progressed();
          onProgress(fraction);
        };
        return mapErrors(() => this.#native.load({ ...options, onProgress: reportProgress }));
      };
      const [native, card] = await Promise.all([this.#duringLoad(options.path, load), this.#readCard(options.path)]);
      const facts = localFacts(native, card);
      this.#isOnGpu = isOnGpu(facts);
      return facts;
    } catch (error) {
      throw toEngineError(error);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const generate = () => this.#generate(request, onText, signal);
    return this.#isOnGpu ? this.#duringGpuWork(generate) : generate();
  }

  async #generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const used = process.cpuUsage();
    const generation = mapErrors(() => this.#native.generate(request, onText));
    const abort = (): void => generation.abort();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const native = await generation.result;
      const { user, system } = process.cpuUsage(used);
      return generationResult(native, (user + system) / 1000);
    } catch (error) {
      throw toEngineError(error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async tokenize(text: string, options: { readonly parseSpecial?: boolean } = {}): Promise<readonly number[]> {
    try {
      return [...(await mapErrors(() => this.#native.tokenize(text, options)))];
    } catch (error) {
      throw toEngineError(error);
    }
  }

  async detokenize(tokens: readonly number[], options: { readonly special?: boolean } = {}): Promise<string> {
    try {
      return await mapErrors(() => this.#native.detokenize(tokens, options));
    } catch (error) {
      throw toEngineError(error);
    }
  }

  memory(): MemoryReport {
    return { ...mapErrors(() => this.#native.memory()), elsewhereBytes: 0 };
  }

  async release(what: Releasable): Promise<void> {
    try {
      await mapErrors(() => this.#native.release(what));
    } catch (error) {
      throw toEngineError(error);
    }
  }

  async close(): Promise<void> {
    await this.#made?.close();
  }
}

function cancelled(): EngineError {
  return new EngineError('loadCancelled', t('Loading was cancelled'));
}

function localFacts(native: NativeModelFacts, card: ModelCard): LocalModelFacts {
  const { path, name, architecture, quantization, fileBytes, parameterCount, recurrent, threads, backend } = native;
  return {
    kind: 'local',
    path,
    name,
    architecture,
    quantization: quantizationName(quantization),
    fileBytes,
    parameterCount,
    contextLength: native.contextLength,
    chatContextLength: native.chatContextLength,
    recurrent,
    canShiftContext: native.canShiftContext,
    mtp: native.mtpLayerCount > 0,
    fim: native.fim && fimTokens(native.fim),
    bosToken: tokenOrNull(native.bosToken),
    addBos: native.addBos,
    leadingBlank: native.leadingBlank,
    chatTemplate: native.chatTemplate,
    threads,
    backend,
    capabilities: EVERY_CAPABILITY,
    ...card,
  };
}

function fimTokens({
  prefix,
  suffix,
  middle,
  pad,
  repo,
  fileSep,
  suffixFirst,
}: NativeFimTokens): LocalModelFacts['fim'] {
  return {
    prefix,
    suffix,
    middle: tokenOrNull(middle),
    pad: tokenOrNull(pad),
    repo: tokenOrNull(repo),
    fileSep: tokenOrNull(fileSep),
    suffixFirst,
  };
}

function generationResult(native: NativeGenerationResult, processorMs: number): GenerationResult {
  const { text, tokens, logProbabilities, stopReason, metrics } = native;
  return {
    text,
    tokens,
    logProbabilities,
    scores: scores(native),
    runnersUp: runnersUp(native),
    stopReason,
    metrics: metricsOf(metrics, processorMs),
  };
}

function scores({ pieceLengths, givenTypedLogProbabilities }: NativeGenerationResult): readonly TokenScore[] {
  return pieceLengths.map((length, index) => ({ length, logProbability: givenTypedLogProbabilities[index] ?? 0 }));
}

function runnersUp(native: NativeGenerationResult): readonly (RunnerUp | null)[] {
  const logProbabilities = native.runnerUpLogProbabilities ?? [];
  return (native.runnersUp ?? []).map((id, index) => {
    const token = tokenOrNull(id);
    const logProbability = logProbabilities[index] ?? Number.NEGATIVE_INFINITY;
    return token === null ? null : { token, logProbability };
  });
}

function metricsOf(native: NativeGenerationMetrics, processorMs: number): GenerationMetrics {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs } = native;
  const { evaluatedTokens, replayedTokens, rounds, shiftedTokens, draftedTokens, acceptedDraftTokens } = native;
  const { queuedMs, preemptions } = native;
  return {
    promptTokens,
    reusedTokens,
    generatedTokens,
    prefillMs,
    decodeMs,
    local: {
      evaluatedTokens,
      replayedTokens,
      rounds,
      shiftedTokens,
      draftedTokens,
      acceptedDraftTokens,
      draftFailure: native.draftFailure ?? null,
      stepMs: native.verifyMs[0] || null,
      queuedMs,
      preemptions,
      processorMs,
    },
  };
}

/** The addon writes -1 where the vocabulary has no such token. */
function tokenOrNull(token: number): number | null {
  return token < 0 ? null : token;
}

function mapErrors<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toEngineError(error);
  }
}

/** llama.cpp's levels: 3 is a warning, 4 an error. Lower levels fill pages at each load and tell users nothing. */
function forward(log: Log, level: number, text: string): void {
  const line = text.trimEnd();
  if (line === '') return;
  if (level >= 4) log.error(line);
  else if (level === 3) log.warn(line);
}
