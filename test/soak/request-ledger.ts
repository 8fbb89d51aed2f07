/** A request that has no answer after this time counts as unanswered. The slowest ones wait for a model to load. */
const ANSWER_LIMIT_MS = 60_000;

/** Counts the requests of a soak and what became of them. A cancelled request needs an answer too. */
export class RequestLedger {
  asked = 0;
  answered = 0;
  /** The server said no: right for nonsense, and wrong for anything else. */
  refused = 0;
  /** With the server that was to answer. */
  lost = 0;
  readonly unanswered: string[] = [];
  readonly failures: string[] = [];
  slowestMs = 0;
  readonly #limitMs: number;

  constructor(limitMs = ANSWER_LIMIT_MS) {
    this.#limitMs = limitMs;
  }

  /** Waits for an answer. Resolves with null where there is none, or an error; both are counted. */
  expect<T>(what: string, answer: Promise<T>): Promise<T | null> {
    return this.#settle(what, answer, (error) => {
      this.failures.push(`${what}: ${String(error)}`);
    });
  }

  /** As `expect`, for a request that the server must refuse or may ignore. */
  expectRefusal(what: string, answer: Promise<unknown>): Promise<unknown> {
    return this.#settle(what, answer, () => {
      this.refused += 1;
    });
  }

  /** For a server that is killed, perhaps before it answers. */
  expectUnlessKilled<T>(answer: Promise<T>, isGone: Promise<unknown>): Promise<T | null> {
    this.asked += 1;
    const gone = isGone.then(() => null);
    return Promise.race([answer.catch(() => null), gone]).then((result) => {
      if (result === null) this.lost += 1;
      else this.answered += 1;
      return result;
    });
  }

  async #settle<T>(what: string, answer: Promise<T>, onError: (error: unknown) => void): Promise<T | null> {
    this.asked += 1;
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<'tooLate'>((resolve) => {
      timer = setTimeout(() => resolve('tooLate'), this.#limitMs);
    });
    try {
      const first = await Promise.race([answer.then((value) => ({ value })), tooLate]);
      if (first === 'tooLate') {
        this.unanswered.push(what);
        return null;
      }
      this.answered += 1;
      return first.value;
    } catch (error) {
      this.answered += 1;
      onError(error);
      return null;
    } finally {
      clearTimeout(timer);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    }
  }
}
