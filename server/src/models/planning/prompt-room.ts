import { statSync } from 'node:fs';
import type { MeasuredSpeeds } from '../../engine/measured/measured-speeds.js';
import { guessedPromptLength, promptLengthFor } from '../../prompt/prompt-length.js';
import { DEFAULT_PROMPT_TOKENS } from '../../prompt/token-budget.js';
import { splitPaths } from '../gguf/split-file.js';

/** A model that proves faster than the last time finds room without being loaded again. */
const HEADROOM = 1.3;

export interface PromptRoomOptions {
  readonly speeds: Pick<MeasuredSpeeds, 'ofFile'>;
  /** Whether models run on a GPU that shares the machine's memory. Other GPUs show up once a model is loaded. */
  readonly unifiedMemory: boolean;
  readonly threads: number;
}

/**
 * How long a prompt the context of a load must have room for. Decided once for each model file: a setting that has nothing
 * to do with it must not load the model again.
 */
export class PromptRoom {
  readonly #options: PromptRoomOptions;
  readonly #decided = new Map<string, number>();

  constructor(options: PromptRoomOptions) {
    this.#options = options;
  }

  /** In tokens. */
  of(path: string): number {
    const decided = this.#decided.get(path) ?? this.#estimate(path);
    this.#decided.set(path, decided);
    return decided;
  }

  /** At a moment when loading the model again disturbs nobody. @returns whether prompts need more room now */
  grow(path: string): boolean {
    const needed = this.#estimate(path);
    if (needed <= this.of(path)) return false;
    this.#decided.set(path, needed);
    return true;
  }

  #estimate(path: string): number {
    const { speeds, unifiedMemory, threads } = this.#options;
    const measured = speeds.ofFile(path);
    if (measured !== null) return Math.max(DEFAULT_PROMPT_TOKENS, promptLengthFor(measured * HEADROOM, null));
    const modelBytes = bytesOf(path);
    if (modelBytes === null) return DEFAULT_PROMPT_TOKENS;
    const device = unifiedMemory ? 'shared' : 'cpu';
    return Math.max(DEFAULT_PROMPT_TOKENS, guessedPromptLength({ modelBytes, device, threads }));
  }
}

/** Of all parts; null for a file that cannot be read: loading it says why. */
function bytesOf(path: string): number | null {
  try {
    return splitPaths(path).reduce((sum, part) => sum + statSync(part).size, 0);
  } catch {
    return null;
  }
}
