import { MEMORY_HISTORY_MS, type MemorySample } from '../../protocol/index.js';

/** Interval of the samples kept: a plot of an hour shows no more. */
const KEPT_EVERY_MS = 10_000;

/** Samples of the last hour at a coarser interval. */
export class MemoryHistory {
  #samples: MemorySample[] = [];

  get samples(): readonly MemorySample[] {
    return this.#samples;
  }

  add(sample: MemorySample): void {
    const last = this.#samples.at(-1);
    const isKept = (at: number) => at <= sample.at && sample.at - at < MEMORY_HISTORY_MS;
    // A clock that is set back leaves samples that are still to come.
    if (last !== undefined && last.at <= sample.at && sample.at - last.at < KEPT_EVERY_MS) return;
    this.#samples = [...this.#samples.filter(({ at }) => isKept(at)), sample];
  }
}
