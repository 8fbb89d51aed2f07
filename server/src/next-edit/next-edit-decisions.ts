import { type NextEditDecision, type NextEditReason, t } from '../../protocol/index.js';
import type { NoModelEdit } from './model-edits.js';

/** Why nothing is looked for in a document. */
export type NextEditRefusal = 'off' | 'languageDisabled' | 'secretFile' | 'tooLong' | 'undone';

export type NextEditOutcomeReason =
  | NextEditReason
  | NextEditRefusal
  | NoModelEdit
  | 'noEdit'
  | 'dismissed'
  | 'readOnly'
  | 'engineError';

const KEPT = 20;

const SENTENCES: Readonly<Record<NextEditOutcomeReason, () => string>> = {
  repeat: () => t('You made the same replacement elsewhere.'),
  argument: () => t('A function got a parameter, and a call lacks the argument.'),
  model: () => t('The model rewrote the lines.'),
  off: () => t('Next edits are off.'),
  languageDisabled: () => t('Suggestions are turned off for this language.'),
  secretFile: () => t('This file may hold secrets, so Inkling predicts nothing from it.'),
  tooLong: () => t('This file is too long.'),
  undone: () => t('You undid an edit.'),
  noEdit: () => t('There is no edit to continue from.'),
  unchanged: () => t('The model leaves these lines as they are.'),
  damaged: () => t("The model's rewrite was damaged."),
  onlyBlanks: () => t('The model changes only blanks here.'),
  tooMuch: () => t('The model rewrites too much here.'),
  takesBack: () => t('The model would undo your last edit.'),
  unsure: () => t('Next edit hidden: low confidence.'),
  newSyntaxError: () => t('Next edit hidden: it adds a syntax error.'),
  dismissed: () => t('You dismissed this edit before.'),
  readOnly: () => t('This file is read-only.'),
  noModel: () => t('No model is loaded.'),
  noFormat: () => t('This model does not predict next edits. Inkling only repeats your replacements.'),
  onBattery: () => t('The machine runs on battery. Inkling only repeats your replacements.'),
  remoteModel: () =>
    t('A remote server does not say how sure its model is of an edit. Inkling only repeats your replacements.'),
  languageUnknown: () => t('The model does not know this language. Inkling only repeats your replacements.'),
  modelChanged: () => t('The model was unloaded or replaced meanwhile.'),
  nothingSuggests: () => t('Nothing suggests that another edit is due, so the model was not asked.'),
  noQuestion: () => t('The lines are too long for the model, or it must not see the edits.'),
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

  /** Whether the last one already says so. Then it counts for now. */
  again(uri: string, reason: NextEditOutcomeReason): boolean {
    const last = this.#decisions.at(-1);
    if (last === undefined || last.uri !== uri || last.reason !== reason) return false;
    this.#decisions[this.#decisions.length - 1] = { ...last, at: Date.now() };
    return true;
  }

  /** Newest first. */
  latest(): readonly NextEditDecision[] {
    return [...this.#decisions].reverse();
  }
}
