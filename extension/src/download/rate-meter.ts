const WINDOW_MS = 5_000;
/** Without a byte for this long, nothing arrives any more. */
const STILL_MS = 2_000;

/** Bytes per second over the last seconds. Times are in milliseconds. */
export class RateMeter {
  #samples: { readonly time: number; readonly bytes: number }[] = [];

  /** @param bytes received so far; fewer than before if a download starts again */
  add(time: number, bytes: number): void {
    if (bytes < (this.#samples.at(-1)?.bytes ?? 0)) this.#samples = [];
    this.#samples.push({ time, bytes });
    // Keeps the last sample before the window, as the window's start.
    while ((this.#samples[1]?.time ?? Number.POSITIVE_INFINITY) < time - WINDOW_MS) this.#samples.shift();
  }

  /** Null without enough samples. */
  bytesPerSecond(now: number): number | null {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (last !== undefined && now - last.time > STILL_MS) return 0;
    if (first === undefined || last === undefined || last.time - first.time < 500) return null;
    return ((last.bytes - first.bytes) / (last.time - first.time)) * 1000;
  }
}
