import { meanLogProbability } from '../confidence/confidence-calibration.js';
import type { SuggestionFilter } from './filter.js';

/** Drops what the model itself finds unlikely, unless the user asked for a suggestion. */
export const dropLowConfidence: SuggestionFilter = ({ text, confidence, explicit }) => {
  if (confidence === null || explicit) return text;
  const mean = meanLogProbability(confidence, text.length);
  return mean !== null && mean < confidence.threshold ? '' : text;
};
