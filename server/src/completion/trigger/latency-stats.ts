/** How many recent completions measure the engine's speed. */
const WINDOW = 200;
/** The debounce uses only these few: the machine may just have become busy. */
const RECENT = 12;
/** One slow request says nothing of the next: it may have read a whole prompt, as the first in each file does. */
const LEAST_RECENT = 5;

/** At this median the engine is fast, even if the last few requests were not. */
const FAST_ENGINE_MS = 30;
/** Below this a suggestion arrives before the next key; a debounce would only delay it. */
const FAST_MS = 60;
/** Share of the typical time. A user who types on during the wait costs the machine nothing. */
const DEBOUNCE_SHARE = 0.4;
const MAX_DEBOUNCE_MS = 250;

/** How long a completion took that the engine computed, in milliseconds. */
export interface CompletionTimes {
  /** From the request's arrival to its answer, as people wait for it. */
  readonly latencyMs: number;
  /** Without the debounce, which must not make the next one longer. */
  readonly workMs: number;
}

/** The latest completions that the engine computed. */
export class LatencyStats {
  #latest: CompletionTimes[] = [];

  add(times: CompletionTimes): void {
    this.#latest.push(times);
    if (this.#latest.length > WINDOW) this.#latest.shift();
  }

  /** Another model takes other times, and so does the same one on another device. */
  clear(): void {
    this.#latest = [];
  }

  /**
   * Of the latencies.
   *
   * @param fraction such as 0.5 for the median; null before the first
   */
  percentile(fraction: number): number | null {
    const latencies = this.#latest.map(({ latencyMs }) => latencyMs);
    return percentileOf(latencies, fraction);
  }

  /** Milliseconds to wait for another key before the engine is asked; 0 where it is fast. */
  debounce(): number {
    const all = this.#latest.map(({ workMs }) => workMs);
    const recent = all.slice(-RECENT);
    const typical = median(recent);
    if (recent.length < LEAST_RECENT || typical < FAST_MS || median(all) <= FAST_ENGINE_MS) return 0;
    return Math.min(MAX_DEBOUNCE_MS, Math.round(typical * DEBOUNCE_SHARE));
  }
}

/** Takes the lower middle of an even number of values: a few slow requests must not decide. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
}

function percentileOf(values: readonly number[], fraction: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? null;
}
