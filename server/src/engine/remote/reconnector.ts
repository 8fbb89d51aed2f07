import type { EngineLifecycle } from '../lifecycle/engine-lifecycle.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long to wait before the next attempt to reach a remote server. @param attempts so far, without success */
export function backoffMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
}

/** Retries a lost machine, less and less often, until it is back or no longer wanted. */
export class Reconnector {
  readonly #lifecycle: Pick<EngineLifecycle, 'isLost' | 'reconnect'>;
  #attempts = 0;
  #timer: NodeJS.Timeout | null = null;
  #over = false;

  constructor(lifecycle: Pick<EngineLifecycle, 'isLost' | 'reconnect' | 'onDidChange'>) {
    this.#lifecycle = lifecycle;
    lifecycle.onDidChange(() => this.#follow());
  }

  dispose(): void {
    this.#over = true;
    this.#forget();
  }

  #follow(): void {
    if (this.#over) return;
    if (!this.#lifecycle.isLost) {
      this.#forget();
      this.#attempts = 0;
      return;
    }
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => void this.#reconnect(), backoffMs(this.#attempts));
    this.#timer.unref();
  }

  async #reconnect(): Promise<void> {
    this.#attempts += 1;
    this.#forget();
    await this.#lifecycle.reconnect();
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
