/** Called between two steps of a job: returns at once, or after others had the event loop for a while. */
export type Turn = () => Promise<void>;

export interface BackgroundQueueOptions {
  /** How long nothing must have happened before jobs run. */
  readonly quietMs: number;
  readonly onError: (error: unknown) => void;
}

/** A job keeps the event loop no longer than this, if its steps are shorter. */
const SLICE_MS = 3;
const REST_MS = 5;

/**
 * Work for quiet moments, one job at a time, in slices. Jobs wait while the queue is `disturbed`; one that is queued
 * again under the same key before it ran runs once, with what came last.
 */
export class BackgroundQueue {
  readonly #jobs = new Map<string, (turn: Turn) => Promise<void>>();
  readonly #options: BackgroundQueueOptions;
  #quietAt = 0;
  #sliceEnd = 0;
  #running = false;
  #disposed = false;
  #timer: NodeJS.Timeout | null = null;
  #wake: (() => void) | null = null;

  constructor(options: BackgroundQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#jobs.size === 0 && !this.#running;
  }

  enqueue(key: string, job: (turn: Turn) => Promise<void>): void {
    if (this.#disposed) return;
    this.#jobs.delete(key);
    this.#jobs.set(key, job);
    if (!this.#running) this.#run().catch(this.#options.onError);
  }

  remove(key: string): void {
    this.#jobs.delete(key);
  }

  /** The user is doing something: jobs rest until that is over. */
  disturb(): void {
    this.#quietAt = performance.now() + this.#options.quietMs;
  }

  /** A running job ends at its next turn, by never being resumed. */
  dispose(): void {
    this.#disposed = true;
    this.#jobs.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wake = null;
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (!this.#disposed) {
        await this.#rest();
        const [next] = this.#jobs;
        if (next === undefined) return;
        const [key, job] = next;
        this.#jobs.delete(key);
        try {
          await job(this.#turn);
        } catch (error) {
          this.#options.onError(error);
        }
      }
    } finally {
      this.#running = false;
    }
  }

  readonly #turn = async (): Promise<void> => {
    if (performance.now() >= this.#sliceEnd) await this.#rest();
  };

  async #rest(): Promise<void> {
    do {
      await new Promise<void>((resolve) => {
        // Nobody goes on after the end.
        if (this.#disposed) return;
        this.#wake = resolve;
        const wait = Math.max(REST_MS, this.#quietAt - performance.now());
        this.#timer = setTimeout(() => this.#wake?.(), wait);
        // Nobody waits for background work at the end of the process.
        this.#timer.unref();
      });
    } while (performance.now() < this.#quietAt);
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
