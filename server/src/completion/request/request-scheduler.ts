/** How a job talks to its scheduler. */
export interface JobControl<T> {
  /** Aborted when another question takes the slot, or when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Answers those who wait before the job ends; what it goes on to do then is stopped by another question only. */
  answer(result: T): void;
}

interface RunningJob<Q, T> {
  readonly question: Q;
  readonly abort: AbortController;
  readonly answered: Promise<T>;
  /** What the whole work came to; the slot is free then. */
  readonly ended: Promise<T>;
  waiting: number;
  /** An answer was given early; the rest of the work needs nobody who waits. */
  early: boolean;
  grace: NodeJS.Timeout | null;
}

/**
 * While an editor waits for a key to be debounced nobody asks for what the last key began; going on for so long costs
 * little, and often the next question joins it.
 */
const GRACE_MS = 60;

/**
 * One slot for engine work. A question that the running one covers joins it; any other takes the slot and aborts what
 * ran. Who joins after an early answer waits for the end, since that answer was for the key before. A caller that gives up gets its answer at once, and the work stops shortly after when nobody waits for it.
 */
export class RequestScheduler<Q, T> {
  readonly #covers: (running: Q, asked: Q) => boolean;
  #running: RunningJob<Q, T> | null = null;

  constructor(covers: (running: Q, asked: Q) => boolean) {
    this.#covers = covers;
  }

  /** Resolves with null when the caller's signal, or a later request, ended the wait. */
  async run(
    question: Q,
    job: (control: JobControl<T>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ readonly question: Q; readonly result: T } | null> {
    if (signal.aborted) return null;
    const running =
      this.#running !== null && this.#covers(this.#running.question, question)
        ? this.#running
        : this.#start(question, job);
    running.waiting++;
    if (running.grace !== null) clearTimeout(running.grace);
    running.grace = null;
    let leave: () => void = () => undefined;
    const left = new Promise<null>((resolve) => {
      leave = () => resolve(null);
    });
    signal.addEventListener('abort', leave, { once: true });
    running.abort.signal.addEventListener('abort', leave, { once: true });
    try {
      const answered = (running.early ? running.ended : running.answered).then((result) => ({
        question: running.question,
        result,
      }));
      return await Promise.race([answered, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      running.abort.signal.removeEventListener('abort', leave);
      running.waiting--;
      if (running.waiting === 0 && !running.early) this.#leaveAlone(running);
    }
  }

  /** Stops what runs; who waits for it gets nothing. */
  stop(): void {
    if (this.#running !== null) this.#stop(this.#running);
  }

  #start(question: Q, job: (control: JobControl<T>) => Promise<T>): RunningJob<Q, T> {
    this.stop();
    const abort = new AbortController();
    let answer: (result: T) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const answered = new Promise<T>((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
    // Whoever waits sees the rejection; when nobody does any more, it concerns nobody.
    answered.catch(() => undefined);
    const answerEarly = (result: T): void => {
      started.early = true;
      answer(result);
    };
    const ended = job({ signal: abort.signal, answer: answerEarly }).finally(() => this.#release(started));
    ended.then(answer, fail);
    const started: RunningJob<Q, T> = { question, abort, answered, ended, waiting: 0, early: false, grace: null };
    this.#running = started;
    return started;
  }

  #leaveAlone(job: RunningJob<Q, T>): void {
    if (this.#running !== job) return;
    job.grace ??= setTimeout(() => {
      if (job.waiting === 0) this.#stop(job);
    }, GRACE_MS);
  }

  #stop(job: RunningJob<Q, T>): void {
    this.#release(job);
    job.abort.abort();
  }

  #release(job: RunningJob<Q, T>): void {
    if (job.grace !== null) clearTimeout(job.grace);
    job.grace = null;
    if (this.#running === job) this.#running = null;
  }
}
