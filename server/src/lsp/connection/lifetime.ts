import type { WatchDog } from 'vscode-languageserver';
import { isAlive } from '../../util/files/is-alive.js';

/** Interval of checks for the client's process: a killed client sends nothing. */
const PARENT_CHECK_MS = 2000;

/** Closing waits for at most one step of the engine. A process that hangs is worse than one that ends abruptly. */
const CLOSE_DEADLINE_MS = 3000;

/**
 * Ends the process in order: the engine is closed first in every case, because GPU backends abort if their buffers
 * outlive the device.
 */
export class ServerLifetime implements WatchDog {
  shutdownReceived = false;
  readonly #close: () => Promise<void>;
  readonly #followClient: (processId: number) => void;
  #parentCheck: NodeJS.Timeout | null = null;
  #ending = false;

  /** @param followClient watches the client from outside this loop, which may be stuck */
  constructor(close: () => Promise<void>, followClient: (processId: number) => void) {
    this.#close = close;
    this.#followClient = followClient;
  }

  /** Called by the connection when `initialize` arrives. */
  initialize({ processId }: { readonly processId: number | null }): void {
    if (!Number.isSafeInteger(processId) || processId === null || processId <= 0 || this.#parentCheck !== null) return;
    this.#followClient(processId);
    this.#parentCheck = setInterval(() => {
      if (!isAlive(processId)) this.endAbandoned();
    }, PARENT_CHECK_MS);
    this.#parentCheck.unref();
  }

  /** Called by the connection when `exit` arrives. */
  exit(code: number): void {
    this.#end(code);
  }

  /** The client ended, or someone asked the process to end. It is an error only if `shutdown` is missing. */
  endAbandoned(): void {
    this.#end(this.shutdownReceived ? 0 : 1);
  }

  /** This process can do its work no longer; the client starts another one. */
  endBroken(): void {
    this.#end(1);
  }

  #end(code: number): void {
    if (this.#ending) return;
    this.#ending = true;
    const exit = (): void => process.exit(code);
    setTimeout(exit, CLOSE_DEADLINE_MS);
    this.#close().then(exit, exit);
  }
}
