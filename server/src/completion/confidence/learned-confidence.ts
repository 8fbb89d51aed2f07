import type { JsonFile } from '../../util/files/json-file.js';
import {
  type LearnedModels,
  learnedOf,
  NO_MODELS,
  parseLearnedModels,
  shiftOf,
  withModelOutcome,
} from './learned-odds.js';

interface Outcome {
  readonly model: string;
  readonly chance: number;
  readonly right: boolean;
}

/** A disk that cannot be written must not fill the memory. */
const MOST_UNSAVED = 2_000;

/** What the outcomes of each model's suggestions say about the gate, learned in all windows. It stays on this machine. */
export class LearnedConfidence {
  readonly #file: JsonFile;
  #learned: LearnedModels;
  /** Learned here, and not yet in the file. */
  #unsaved: readonly Outcome[] = [];

  constructor(file: JsonFile) {
    this.#file = file;
    this.#learned = parseLearnedModels(file.read()) ?? NO_MODELS;
  }

  /**
   * Log-odds to add to those of the gate's model, from -1 to 1.
   *
   * @param model its name, as its file or a remote server says it
   */
  shiftOf(model: string): number {
    return shiftOf(learnedOf(this.#learned, model));
  }

  /** @param chance of a suggestion that was shown, as it was shown: with the shift */
  learn(model: string, chance: number, right: boolean): void {
    const outcome = { model, chance: withoutShift(chance, this.shiftOf(model)), right };
    this.#learned = withModelOutcome(this.#learned, model, outcome.chance, right);
    this.#unsaved = [...this.#unsaved, outcome].slice(-MOST_UNSAVED);
    let merged = this.#learned;
    this.#file.changeSoon({
      merge: (stored) => {
        const theirs = parseLearnedModels(stored);
        // Other windows learn as well. A file that is gone, damaged or of an older version gets what this window knows.
        merged =
          theirs === null
            ? this.#learned
            : this.#unsaved.reduce((all, each) => withModelOutcome(all, each.model, each.chance, each.right), theirs);
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
