import { type NextEditDecision, type NextEditReason, t } from '../../protocol/index.js';
import type { NoModelEdit } from './model-edits.js';

export type NextEditOutcomeReason = NextEditReason | NoModelEdit | 'dismissed' | 'engineError';

const KEPT = 20;

const SENTENCES: Readonly<Record<NextEditOutcomeReason, () => string>> = {
  repeat: () => t('You made the same replacement elsewhere.'),
  argument: () => t('A function got a parameter, and a call lacks the argument.'),
  model: () => t('The model rewrote the lines.'),
  unchanged: () => t('The model leaves these lines as they are.'),
  damaged: () => t("The model's rewrite was damaged."),
  onlyBlanks: () => t('The model changes only blanks here.'),
  tooMuch: () => t('The model rewrites too much here.'),
  takesBack: () => t('The model takes back what you have just done.'),
  unsure: () => t('Next edit hidden: low confidence.'),
  newSyntaxError: () => t('Next edit hidden: it adds a syntax error.'),
  dismissed: () => t('You dismissed this edit before.'),
  noModel: () => t('The model is not loaded yet.'),
  noFormat: () => t('This model does not predict next edits. Inkling only repeats your replacements.'),
  onBattery: () => t('The machine runs on battery. Inkling only repeats your replacements.'),
  noQuestion: () => t('There is no edit to continue from, or the lines are too long for the model.'),
  unfinished: () => t('The next edit was not ready in time.'),
  cancelled: () => t('You kept typing.'),
  engineError: () => t('The engine failed.'),
};

/** Why an edit was announced, or none. The latest ones. */
export class NextEditDecisions {
  readonly #decisions: NextEditDecision[] = [];

  /** @param line zero-based */
  add(uri: string, line: number, outcome: NextEditDecision['outcome'], reason: NextEditOutcomeReason): void {
    this.#decisions.push({ at: Date.now(), uri, line, outcome, reason, sentence: SENTENCES[reason]() });
    if (this.#decisions.length > KEPT) this.#decisions.shift();
  }

  /** Newest first. */
  latest(): readonly NextEditDecision[] {
    return [...this.#decisions].reverse();
  }
}
