import type { Decision } from '../../../protocol/index.js';

const KEPT = 50;

/** How the last requests were decided. */
export class DecisionLog {
  readonly #decisions: Decision[] = [];

  add(decision: Decision): void {
    this.#decisions.push(decision);
    if (this.#decisions.length > KEPT) this.#decisions.shift();
  }

  /** Newest first. */
  latest(): readonly Decision[] {
    return [...this.#decisions].reverse();
  }
}
