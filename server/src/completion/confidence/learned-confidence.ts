import type { JsonFile } from '../../util/json-file.js';
import {
  type ConfidenceCalibration,
  NOTHING_LEARNED,
  parseCalibration,
  thresholdOf,
  withOutcome,
} from './confidence-calibration.js';

/** The learned confidence threshold. It stays on this machine. */
export class LearnedConfidence {
  readonly #file: JsonFile;
  #calibration: ConfidenceCalibration;

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
    this.#file.writeSoon(() => this.#calibration);
  }
}
