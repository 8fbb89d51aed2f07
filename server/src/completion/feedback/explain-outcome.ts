import { t } from '../../../protocol/index.js';
import type { CompletionOutcome, NoSuggestionReason } from '../request/completion-outcome.js';

const SENTENCES: Readonly<Record<NoSuggestionReason, () => string>> = {
  disabled: () => t('Inkling is switched off.'),
  modelNotReady: () => t('The model is not loaded yet.'),
  modelUnloaded: () =>
    t('The model was unloaded; "Trigger Inline Suggestion" or "Inkling: Load Model" brings it back.'),
  noFimTemplate: () => t('The model cannot fill in the middle, so it cannot complete code.'),
  cancelled: () => t('The next key came first.'),
  engineError: () => t('The engine failed.'),
  filtered: () => t('The model had something to say, but not worth showing.'),
  manualMode: () => t('Inkling is set to suggest only when asked; run "Trigger Inline Suggestion".'),
  languageDisabled: () => t('Suggestions are switched off in this language.'),
  scopeDisabled: () => t('Suggestions are switched off in comments or strings.'),
  afterUndo: () => t('After undo and redo Inkling waits for the next key.'),
  afterPaste: () => t('After pasting Inkling waits for the next key.'),
  afterDeletion: () => t('After deleting Inkling waits for the next key.'),
  afterReplacement: () => t('After a change at several places Inkling waits for the next key.'),
  movingCursor: () => t('The cursor was moving.'),
  insideWord: () => t('The cursor is inside a word.'),
  lineTooLong: () => t('The line is longer than anybody writes by hand.'),
};

/** One sentence for the user. */
export function explainOutcome(outcome: CompletionOutcome): string {
  if (outcome.kind === 'suggestions') {
    const [first] = outcome.suggestions;
    const others = outcome.suggestions.length - 1;
    const characters = first?.text.length ?? 0;
    if (others > 0) return t('A suggestion of {0} characters, and {1} more to cycle through.', characters, others);
    return outcome.partial
      ? t('A suggestion of {0} characters, as far as it had got.', characters)
      : t('A suggestion of {0} characters.', characters);
  }
  const sentence = SENTENCES[outcome.reason]();
  return outcome.detail === undefined ? sentence : t('{0} ({1})', sentence, outcome.detail);
}
