import { chancePercent, formatPercent, t, toLineFeeds } from '../../../protocol/index.js';
import type { CompletionOutcome, NoSuggestionReason } from '../request/completion-outcome.js';

const SENTENCES: Readonly<Record<Exclude<NoSuggestionReason, 'unsure'>, () => string>> = {
  disabled: () => t('Inkling is off.'),
  modelNotReady: () => t('The model is not loaded yet.'),
  modelUnloaded: () => t('The model is unloaded. Run "Inkling: Load Model" or "Trigger Inline Suggestion" to load it.'),
  noFimTemplate: () => t('This model cannot complete code: it has no fill-in-the-middle tokens.'),
  cancelled: () => t('You kept typing.'),
  modelChanged: () => t('The model was unloaded or replaced meanwhile.'),
  engineError: () => t('The engine failed.'),
  filtered: () => t('Suggestion hidden.'),
  secretFile: () =>
    t('This file may hold secrets. Run "Trigger Inline Suggestion" to send its text to the remote server.'),
  manualMode: () => t('Automatic suggestions are off. Run "Trigger Inline Suggestion" to get one.'),
  languageDisabled: () => t('Suggestions are turned off for this language.'),
  languageUnknown: () => t('The model does not know this language.'),
  scopeDisabled: () => t('Suggestions are turned off in comments or strings.'),
  afterUndo: () => t('You used undo or redo. Inkling waits for the next key.'),
  afterPaste: () => t('You pasted text. Inkling waits for the next key.'),
  afterDeletion: () => t('You deleted text. Inkling waits for the next key.'),
  afterReplacement: () => t('You changed several places at once. Inkling waits for the next key.'),
  movingCursor: () => t('You were moving the cursor.'),
  insideWord: () => t('The cursor is inside a word.'),
  lineTooLong: () => t('This line is too long.'),
};

/** One sentence for the user. */
export function explainOutcome(outcome: CompletionOutcome): string {
  if (outcome.kind === 'suggestions') {
    const [first] = outcome.suggestions;
    const others = outcome.suggestions.length - 1;
    // Code points: a line end is one, and so are most emoji.
    const characters = [...toLineFeeds(first?.text ?? '')].length;
    const length = characters === 1 ? t('Suggested one character') : t('Suggested {0} characters', characters);
    if (others > 0) return t('{0}. Other suggestions: {1}.', length, others);
    if (outcome.partial) return t('{0}. The rest was not ready yet.', length);
    const { chance = null, leftOut = 0 } = first ?? {};
    if (chance === null) return `${length}.`;
    const percent = formatPercent(chancePercent(chance));
    return leftOut > 0
      ? t('{0}, right with a chance of {1}. The rest was too unsure.', length, percent)
      : t('{0}, right with a chance of {1}.', length, percent);
  }
  if (outcome.reason === 'unsure') {
    const percent = formatPercent(chancePercent(outcome.chance));
    return outcome.tooShort
      ? t('Suggestion hidden: it is too short to be useful. It is right with a chance of {0}.', percent)
      : t('Suggestion hidden: its first words are right with a chance of only {0}.', percent);
  }
  const sentence = SENTENCES[outcome.reason]();
  const { detail = sentence } = outcome;
  return detail.endsWith('.') ? detail : `${detail}.`;
}
