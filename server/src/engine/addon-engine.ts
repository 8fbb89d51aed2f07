import { t } from '../../protocol/index.js';
import type { Log } from '../util/log.js';
import type { NativeAddon, NativeEngine } from './addon-types.js';
import {
  type Engine,
  EVERY_CAPABILITY,
  type GenerateRequest,
  type GenerationResult,
  type LoadOptions,
  type MemoryReport,
  type ModelFacts,
  type Releasable,
} from './engine.js';
import { EngineError, toEngineError } from './engine-error.js';

/** The `Engine` port over the native addon: error codes and AbortSignals, nothing else. */
export class AddonEngine implements Engine {
  readonly #native: NativeEngine;

  constructor(addon: NativeAddon, log: Log) {
    this.#native = mapErrors(() => new addon.Engine({ onLog: (level, text) => forward(log, level, text) }));
  }

  async load(options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts> {
    if (signal.aborted) throw new EngineError('loadCancelled', t('Loading was cancelled'));
    const cancel = (): void => this.#native.cancelLoad();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const facts = await mapErrors(() => this.#native.load({ ...options, onProgress }));
      return { ...facts, capabilities: EVERY_CAPABILITY, elsewhere: null };
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
    const generation = mapErrors(() => this.#native.generate(request, onText));
    const abort = (): void => generation.abort();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await generation.result;
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
    return mapErrors(() => this.#native.memory());
  }

  async release(what: Releasable): Promise<void> {
    try {
      await mapErrors(() => this.#native.release(what));
    } catch (error) {
      throw toEngineError(error);
    }
  }

  async close(): Promise<void> {
    await this.#native.close();
  }
}

function mapErrors<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toEngineError(error);
  }
}

/** llama.cpp's levels: 3 is a warning, 4 an error. What is below fills pages at each load and tells users nothing. */
function forward(log: Log, level: number, text: string): void {
  const line = text.trimEnd();
  if (line === '') return;
  if (level >= 4) log.error(line);
  else if (level === 3) log.warn(line);
}
