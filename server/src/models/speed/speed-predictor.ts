import type { MeasuredSpeeds } from '../../engine/measured/measured-speeds.js';
import type { Machine } from '../discovery/this-machine.js';
import type { GgufHeader, ModelWork } from '../gguf/gguf-header.js';
import { type MeasuredModel, type PredictSpeed, predictSpeed, type SpeedContext } from './predicted-speed.js';

export interface SpeedPredictorOptions {
  readonly prefillSpeeds: Pick<MeasuredSpeeds, 'byFile'>;
  readonly decodeSpeeds: Pick<MeasuredSpeeds, 'byFile'>;
  readonly machine: Pick<Machine, 'unifiedMemory' | 'threads'>;
  /** Such as `CPU` or `Metal`; null before the first load. */
  readonly backend: () => string | null;
  /** Whether the model is on a GPU that shares the processor's memory, Apple's not among them. */
  readonly isIntegrated: () => boolean;
  /** The threads of the loaded model, or of the setting; 0 if neither says it. */
  readonly threads: () => number;
  readonly header: (path: string) => Promise<GgufHeader>;
}

/** What ran on this device, as far as its files are still here. */
export class SpeedPredictor {
  readonly #options: SpeedPredictorOptions;

  constructor(options: SpeedPredictorOptions) {
    this.#options = options;
  }

  /** Predicts from what is measured now. */
  async now(): Promise<PredictSpeed> {
    const { prefillSpeeds, decodeSpeeds, machine, threads } = this.#options;
    const backend = this.#options.backend();
    const prefill = prefillSpeeds.byFile(backend);
    const decode = decodeSpeeds.byFile(backend);
    const measured: MeasuredModel[] = [];
    for (const path of new Set([...prefill.keys(), ...decode.keys()])) {
      const work = await this.#workOf(path);
      if (work === null) continue;
      measured.push({ path, work, prefill: prefill.get(path) ?? null, decode: decode.get(path) ?? null });
    }
    const device = this.#options.isIntegrated() ? 'integrated' : deviceOf(backend, machine.unifiedMemory);
    const context: SpeedContext = { measured, device, threads: threads() || machine.threads };
    return (model) => predictSpeed(model, context);
  }

  /** Null for a file that is gone, or no model any more. */
  async #workOf(path: string): Promise<ModelWork | null> {
    try {
      return (await this.#options.header(path)).work;
    } catch {
      return null;
    }
  }
}

function deviceOf(backend: string | null, unifiedMemory: boolean): SpeedContext['device'] {
  if (backend === null) return unifiedMemory ? 'shared' : 'cpu';
  if (backend === 'CPU') return 'cpu';
  return backend === 'Metal' ? 'shared' : 'gpu';
}
