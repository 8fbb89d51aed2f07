/** How many recent latencies measure the engine's speed. */
const WINDOW = 200;
/** The debounce uses only these few: the machine may just have become busy. */
const RECENT = 12;
/** One slow request says nothing of the next: it may have read a whole prompt, as the first in each file does. */
const LEAST_RECENT = 5;

/** At this median the engine is fast, even if the last few requests were not. */
const FAST_ENGINE_MS = 30;
/** Below this a suggestion arrives before the next key; a debounce would only delay it. */
const FAST_MS = 60;
/** Share of the typical latency. A user who types on during the wait costs the machine nothing. */
const DEBOUNCE_SHARE = 0.4;
const MAX_DEBOUNCE_MS = 250;

/** Latencies of completions that the engine computed, in milliseconds. */
export class LatencyStats {
  readonly #latest: number[] = [];

  get count(): number {
    return this.#latest.length;
  }

  add(milliseconds: number): void {
    this.#latest.push(milliseconds);
    if (this.#latest.length > WINDOW) this.#latest.shift();
  }

  /** @param fraction such as 0.5 for the median; null before the first */
  percentile(fraction: number): number | null {
    return percentileOf(this.#latest, fraction);
  }

  /** Milliseconds to wait for another key before the engine is asked; 0 where it is fast. */
  debounce(): number {
    const recent = this.#latest.slice(-RECENT);
    const typical = median(recent);
    if (recent.length < LEAST_RECENT || typical < FAST_MS || median(this.#latest) <= FAST_ENGINE_MS) return 0;
    return Math.min(MAX_DEBOUNCE_MS, Math.round(typical * DEBOUNCE_SHARE));
  }
}

/** Of an even number of values the lower one: a few slow requests must not decide. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
}

function percentileOf(values: readonly number[], fraction: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? null;
}
