/** Called between two steps of a job. Returns at once, or lets the event loop run for a while first. */
export type Turn = () => Promise<void>;

export interface BackgroundQueueOptions {
  /** Jobs run after this time without a disturbance. */
  readonly quietMs: number;
  readonly onError: (error: unknown) => void;
}

/** A job blocks the event loop no longer than this, if its steps are shorter. */
const SLICE_MS = 3;
const REST_MS = 5;

/**
 * Runs work in quiet moments, one job at a time, in slices. Jobs wait while the queue is `disturbed`. A job queued
 * again under the same key before it ran runs once, in its last version.
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

  /** The user is active: jobs wait until the queue is quiet again. */
  disturb(): void {
    this.#quietAt = performance.now() + this.#options.quietMs;
  }

  /** A running job never resumes after its next turn. */
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
        // Leaves jobs suspended after `dispose`.
        if (this.#disposed) return;
        this.#wake = resolve;
        const wait = Math.max(REST_MS, this.#quietAt - performance.now());
        this.#timer = setTimeout(() => this.#wake?.(), wait);
        // Background work does not keep the process alive.
        this.#timer.unref();
      });
    } while (performance.now() < this.#quietAt);
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
