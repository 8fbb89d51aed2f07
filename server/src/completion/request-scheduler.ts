interface RunningJob<T> {
  readonly key: string;
  readonly abort: AbortController;
  readonly result: Promise<T>;
  waiting: number;
}

/**
 * One slot for engine work. A request with the same key as the running one joins it; any other takes the slot and
 * aborts what ran. A caller that gives up gets its answer at once, and the work stops when nobody waits for it.
 */
export class RequestScheduler<T> {
  #running: RunningJob<T> | null = null;

  /** Resolves with null when the caller's signal, or a later request, ended the wait. */
  async run(key: string, job: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | null> {
    if (signal.aborted) return null;
    const running = this.#running?.key === key ? this.#running : this.#start(key, job);
    running.waiting++;
    let leave: () => void = () => undefined;
    const left = new Promise<null>((resolve) => {
      leave = () => resolve(null);
    });
    signal.addEventListener('abort', leave, { once: true });
    running.abort.signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([running.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      running.abort.signal.removeEventListener('abort', leave);
      running.waiting--;
      if (running.waiting === 0) this.#release(running);
    }
  }

  #start(key: string, job: (signal: AbortSignal) => Promise<T>): RunningJob<T> {
    this.#running?.abort.abort();
    const abort = new AbortController();
    const result = job(abort.signal);
    // Whoever waits sees the rejection; when nobody does any more, it concerns nobody.
    result.catch(() => undefined);
    const started: RunningJob<T> = { key, abort, result, waiting: 0 };
    this.#running = started;
    return started;
  }

  #release(job: RunningJob<T>): void {
    job.abort.abort();
    if (this.#running === job) this.#running = null;
  }
}
