import type { EngineHost } from '../engine-host.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long to wait before another machine is tried again. @param attempts so far, without success */
export function backoffMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
}

/** Tries again to reach another machine that was lost, less and less often, until it is back or no longer wanted. */
export class Reconnector {
  readonly #host: Pick<EngineHost, 'isLost' | 'retry'>;
  #attempts = 0;
  #timer: NodeJS.Timeout | null = null;
  #over = false;

  constructor(host: Pick<EngineHost, 'isLost' | 'retry' | 'onDidChange'>) {
    this.#host = host;
    host.onDidChange(() => this.#follow());
  }

  dispose(): void {
    this.#over = true;
    this.#forget();
  }

  #follow(): void {
    if (this.#over) return;
    if (!this.#host.isLost) {
      this.#forget();
      this.#attempts = 0;
      return;
    }
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => void this.#retry(), backoffMs(this.#attempts));
    this.#timer.unref();
  }

  async #retry(): Promise<void> {
    this.#attempts += 1;
    this.#forget();
    await this.#host.retry();
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
