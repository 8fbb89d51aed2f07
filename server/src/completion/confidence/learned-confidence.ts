import type { JsonFile } from '../../util/json-file.js';
import {
  type ConfidenceCalibration,
  NOTHING_LEARNED,
  parseCalibration,
  thresholdOf,
  withOutcome,
} from './confidence-calibration.js';

interface Outcome {
  readonly mean: number;
  readonly accepted: boolean;
}

/** A disk that cannot be written must not fill the memory. */
const MOST_UNSAVED = 2_000;

/** The confidence threshold, learned in all windows. It stays on this machine. */
export class LearnedConfidence {
  readonly #file: JsonFile;
  #calibration: ConfidenceCalibration;
  /** Learned here, and not yet in the file. */
  #unsaved: readonly Outcome[] = [];

  constructor(file: JsonFile) {
    this.#file = file;
    this.#calibration = parseCalibration(file.read()) ?? NOTHING_LEARNED;
  }

  /** The least mean log-probability that is worth showing. */
  get threshold(): number {
    return thresholdOf(this.#calibration);
  }

  /** @param mean log-probability of the tokens of a suggestion that was shown */
  learn(mean: number, accepted: boolean): void {
    this.#calibration = withOutcome(this.#calibration, mean, accepted);
    this.#unsaved = [...this.#unsaved, { mean, accepted }].slice(-MOST_UNSAVED);
    let merged = this.#calibration;
    this.#file.changeSoon({
      merge: (stored) => {
        const theirs = parseCalibration(stored);
        // Other windows learn as well. A file that is gone or damaged gets what this window knows.
        merged =
          theirs === null
            ? this.#calibration
            : this.#unsaved.reduce((all, each) => withOutcome(all, each.mean, each.accepted), theirs);
        return merged;
      },
      written: () => {
        this.#calibration = merged;
        this.#unsaved = [];
      },
    });
  }
}
