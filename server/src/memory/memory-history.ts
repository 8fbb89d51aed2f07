import { MEMORY_HISTORY_MS, type MemorySample } from '../../protocol/index.js';

/** One in so long is kept: a plot of an hour shows no more. */
const KEPT_EVERY_MS = 10_000;

/** The last hour, thinned out. */
export class MemoryHistory {
  #samples: MemorySample[] = [];

  get samples(): readonly MemorySample[] {
    return this.#samples;
  }

  add(sample: MemorySample): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && sample.at - last.at < KEPT_EVERY_MS) return;
    this.#samples = [...this.#samples.filter(({ at }) => sample.at - at < MEMORY_HISTORY_MS), sample];
  }
}
