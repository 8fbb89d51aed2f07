import type { Disposable } from 'vscode';

const INTERVAL_MS = 5_000;

/** Silent intervals in a row until the server counts as hanging. */
const MOST_MISSED = 3;

/** A timer that fires later than this was held up with its whole process: asleep, stopped, or in a debugger. */
const LATE_MS = 2_000;

/** Counts the questions that stay without an answer. One is asked at a time. */
export class Pulse {
  #lastTick: number;
  #missed = 0;
  #answered = true;

  /** @param now milliseconds of a clock that never goes back, as below */
  constructor(now: number) {
    this.#lastTick = now;
  }

  /** The server's loop turns, whatever it answered. */
  answer(): void {
    this.#answered = true;
  }

  /** @returns what follows after one more interval */
  tick(now: number): 'ask' | 'wait' | 'silent' {
    const isLate = now - this.#lastTick > INTERVAL_MS + LATE_MS;
    this.#lastTick = now;
    if (this.#answered) {
      this.#answered = false;
      this.#missed = 0;
      return 'ask';
    }
    // The answer may have arrived meanwhile, and nobody had the time to read it.
    this.#missed = isLate ? 0 : this.#missed + 1;
    return this.#missed < MOST_MISSED ? 'wait' : 'silent';
  }
}

/**
 * Asks the server every few seconds.
 * @param onSilent called once, after three intervals without an answer
 */
export function startHeartbeat(ask: () => Promise<unknown>, onSilent: () => void): Disposable {
  const pulse = new Pulse(performance.now());
  const timer = setInterval(() => {
    switch (pulse.tick(performance.now())) {
      case 'ask': {
        const answer = (): void => pulse.answer();
        ask().then(answer, answer);
        break;
      }
      case 'wait':
        break;
      case 'silent':
        clearInterval(timer);
        onSilent();
        break;
    }
  }, INTERVAL_MS);
  return { dispose: () => clearInterval(timer) };
}
