/** What a job can do while it runs. */
export interface JobControl<T> {
  /** Aborted when another question starts its job, or when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Answers the waiting callers before the job ends. Only another question stops the rest of the work. */
  answer(result: T): void;
}

interface RunningJob<Q, T> {
  readonly question: Q;
  readonly abort: AbortController;
  readonly answered: Promise<T>;
  /** The result of the whole work; another job can run then. */
  readonly ended: Promise<T>;
  waiting: number;
  /** The job gave an early answer, and goes on even if nobody waits. */
  early: boolean;
  grace: NodeJS.Timeout | null;
}

/**
 * While the editor debounces the next key, nobody waits for the last key's job. Running on this long costs little, and
 * the next question often joins the job. VS Code waits for 50 ms, and on a busy machine its question comes later.
 */
const GRACE_MS = 150;

/**
 * Runs one engine job at a time. A question that the running job covers joins it; any other question aborts it and
 * starts its own. A question that joins after an early answer waits for the end, since the early answer was for the key
 * before. A caller that aborts gets its answer at once; the job stops shortly after if nobody else waits.
 */
export class RequestScheduler<Q, T> {
  readonly #covers: (running: Q, asked: Q) => boolean;
  #running: RunningJob<Q, T> | null = null;

  constructor(covers: (running: Q, asked: Q) => boolean) {
    this.#covers = covers;
  }

  /** Whether a job runs that the question would join. */
  isRunning(question: Q): boolean {
    return this.#joinable(question) !== null;
  }

  /** Resolves with null if the caller's signal or a later request ended the wait. */
  async run(
    question: Q,
    job: (control: JobControl<T>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ readonly question: Q; readonly result: T } | null> {
    if (signal.aborted) return null;
    const running = this.#joinable(question) ?? this.#start(question, job);
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

  /** Stops the running job, if it is meant; its waiting callers get null. */
  stop(isMeant: (question: Q) => boolean = () => true): void {
    if (this.#running !== null && isMeant(this.#running.question)) this.#stop(this.#running);
  }

  #joinable(question: Q): RunningJob<Q, T> | null {
    return this.#running !== null && this.#covers(this.#running.question, question) ? this.#running : null;
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
    // Waiting callers see the rejection. Without one, nobody handles it.
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
