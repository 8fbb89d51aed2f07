import type { CompletionOutcome, NoSuggestionReason } from './completion-outcome.js';

const SENTENCES: Readonly<Record<NoSuggestionReason, string>> = {
  disabled: 'Inkling is switched off.',
  modelNotReady: 'The model is not loaded yet.',
  modelUnloaded: 'The model was unloaded; "Trigger Inline Suggestion" or "Inkling: Load Model" brings it back.',
  noFimTemplate: 'The model cannot fill in the middle, so it cannot complete code.',
  cancelled: 'The next key came first.',
  engineError: 'The engine failed.',
  filtered: 'The model had something to say, but not worth showing.',
  manualMode: 'Inkling is set to suggest only when asked; run "Trigger Inline Suggestion".',
  languageDisabled: 'Suggestions are switched off in this language.',
  scopeDisabled: 'Suggestions are switched off in comments or strings.',
  afterUndo: 'After undo and redo Inkling waits for the next key.',
  afterPaste: 'After pasting Inkling waits for the next key.',
  afterDeletion: 'After deleting Inkling waits for the next key.',
  afterReplacement: 'After a change at several places Inkling waits for the next key.',
  movingCursor: 'The cursor was moving.',
  insideWord: 'The cursor is inside a word.',
  lineTooLong: 'The line is longer than anybody writes by hand.',
};

/** One sentence for the user. */
export function explainOutcome(outcome: CompletionOutcome): string {
  if (outcome.kind === 'suggestions') {
    const [first] = outcome.suggestions;
    const others = outcome.suggestions.length - 1;
    const what = `A suggestion of ${first?.text.length ?? 0} characters`;
    const more = others === 0 ? '' : `, and ${others} more to cycle through`;
    return `${what}${more}${outcome.partial ? ', as far as it had got' : ''}.`;
  }
  const sentence = SENTENCES[outcome.reason];
  return outcome.detail === undefined ? sentence : `${sentence} (${outcome.detail})`;
}
