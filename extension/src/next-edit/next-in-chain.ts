/** How long a Tab after a made edit waits for the next one. The server needs some milliseconds, a busy one more. */
const LONGEST_WAIT_MS = 250;

/** The moment after a made edit, in which the next one is on its way: a Tab then means that one. */
export class NextInChain {
  #timer: NodeJS.Timeout | null = null;
  #waiting: (() => void)[] = [];

  get isExpected(): boolean {
    return this.#timer !== null;
  }

  /** @param onNone called if none comes in time */
  expect(onNone: () => void): void {
    this.settle();
    this.#timer = setTimeout(() => {
      this.settle();
      onNone();
    }, LONGEST_WAIT_MS);
  }

  /** Resolves when the next edit is announced, or none came. */
  wait(): Promise<void> {
    return this.isExpected ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** The next edit is there, or no longer wanted. */
  settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
