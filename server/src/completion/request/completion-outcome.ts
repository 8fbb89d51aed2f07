/** One ghost text. Offsets are UTF-16 units of the requested document. */
export interface Suggestion {
  /** Unique within this server process. The same text shown again while the user types along it keeps its id. */
  readonly id: number;
  readonly text: string;
  /**
   * The range that the text replaces. `start` is the cursor unless the suggest widget has a selected item. `end` is the
   * cursor, or the end of closing brackets that the text contains itself.
   */
  readonly start: number;
  readonly end: number;
  /** The chance that it is right, from 0 to 1; null where that is not known. */
  readonly chance: number | null;
  /** The name of the model that made it. */
  readonly model: string;
  /** Characters of the text after it that were too unsure to show. */
  readonly leftOut: number;
}

/** Why Inkling does not follow an automatic request. */
export type TriggerRefusal =
  | 'manualMode'
  | 'languageDisabled'
  /** The model says which languages it knows, and this one is not among them. */
  | 'languageUnknown'
  | 'scopeDisabled'
  | 'afterUndo'
  | 'afterPaste'
  | 'afterDeletion'
  | 'afterReplacement'
  | 'movingCursor'
  | 'insideWord'
  | 'lineTooLong';

/** Why there is nothing to show. It goes to the log and, on request, to the user; never to a notification. */
export type NoSuggestionReason =
  | 'disabled'
  | 'modelNotReady'
  | 'modelUnloaded'
  | 'noFimTemplate'
  | 'cancelled'
  /** It was unloaded, or another one took its place, while it made the suggestion. */
  | 'modelChanged'
  | 'engineError'
  | 'filtered'
  /** Not worth the distraction: too unlikely to be right, or too short. */
  | 'unsure'
  /** The document's name says that it holds secrets, and the model is on a remote server. */
  | 'secretFile'
  | TriggerRefusal;

export type CompletionOutcome =
  /** Best first, at least one. `partial`: the text will soon be longer. */
  | { readonly kind: 'suggestions'; readonly suggestions: readonly Suggestion[]; readonly partial: boolean }
  | { readonly kind: 'none'; readonly reason: Exclude<NoSuggestionReason, 'unsure'>; readonly detail?: string }
  /** `chance`: that its first words are right, from 0 to 1. `tooShort`: it would have to be nearly sure. */
  | {
      readonly kind: 'none';
      readonly reason: 'unsure';
      readonly chance: number;
      readonly tooShort: boolean;
      readonly detail?: string;
    };
