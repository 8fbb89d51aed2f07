import type { JsonFile } from '../../util/json-file.js';
import { type LearnedOdds, NOTHING_LEARNED, parseLearnedOdds, shiftOf, withOutcome } from './learned-odds.js';

interface Outcome {
  readonly chance: number;
  readonly right: boolean;
}

/** A disk that cannot be written must not fill the memory. */
const MOST_UNSAVED = 2_000;

/** What the outcomes of suggestions say about the gate, learned in all windows. It stays on this machine. */
export class LearnedConfidence {
  readonly #file: JsonFile;
  #learned: LearnedOdds;
  /** Learned here, and not yet in the file. */
  #unsaved: readonly Outcome[] = [];

  constructor(file: JsonFile) {
    this.#file = file;
    this.#learned = parseLearnedOdds(file.read()) ?? NOTHING_LEARNED;
  }

  /** Log-odds to add to the gate's model, from -1 to 1. */
  get shift(): number {
    return shiftOf(this.#learned);
  }

  /** @param chance of a suggestion that was shown, as it was shown: with the shift */
  learn(chance: number, right: boolean): void {
    const outcome = { chance: withoutShift(chance, this.shift), right };
    this.#learned = withOutcome(this.#learned, outcome.chance, right);
    this.#unsaved = [...this.#unsaved, outcome].slice(-MOST_UNSAVED);
    let merged = this.#learned;
    this.#file.changeSoon({
      merge: (stored) => {
        const theirs = parseLearnedOdds(stored);
        // Other windows learn as well. A file that is gone, damaged or of an older version gets what this window knows.
        merged =
          theirs === null
            ? this.#learned
            : this.#unsaved.reduce((all, each) => withOutcome(all, each.chance, each.right), theirs);
        return merged;
      },
      written: () => {
        this.#learned = merged;
        this.#unsaved = [];
      },
    });
  }
}

function withoutShift(chance: number, shift: number): number {
  return chance <= 0 || chance >= 1 ? chance : 1 / (1 + ((1 - chance) / chance) * Math.exp(shift));
}
