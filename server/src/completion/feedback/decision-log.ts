import type { Decision } from '../../../protocol/index.js';

const KEPT = 50;

/** The outcomes of the last requests, with their reasons. */
export class DecisionLog {
  readonly #decisions: Decision[] = [];

  add(decision: Decision): void {
    this.#decisions.push(decision);
    if (this.#decisions.length > KEPT) this.#decisions.shift();
  }

  latest(): readonly Decision[] {
    return [...this.#decisions].reverse();
  }
}
