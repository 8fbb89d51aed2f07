/** A piece of ghost text. Offsets are UTF-16 units of the document that was asked about. */
export interface Suggestion {
  /** Unique within this server's life; the same text shown again while the user types along it keeps its id. */
  readonly id: number;
  readonly text: string;
  /**
   * What the text replaces. `start` is the cursor unless the suggest widget has an item selected; `end` is the cursor,
   * or behind closing brackets that the text brings itself.
   */
  readonly start: number;
  readonly end: number;
  /** Mean log-probability of its tokens; null where that is not known. */
  readonly confidence: number | null;
}

/** Why an automatic request was not followed. */
export type TriggerRefusal =
  | 'manualMode'
  | 'languageDisabled'
  | 'scopeDisabled'
  | 'afterUndo'
  | 'afterPaste'
  | 'afterDeletion'
  | 'afterReplacement'
  | 'movingCursor'
  | 'insideWord'
  | 'lineTooLong';

/** Why there is nothing to show. Never a message to the user; the log and, on request, the user may see it. */
export type NoSuggestionReason =
  | 'disabled'
  | 'modelNotReady'
  | 'modelUnloaded'
  | 'noFimTemplate'
  | 'cancelled'
  | 'engineError'
  | 'filtered'
  | TriggerRefusal;

export type CompletionOutcome =
  /** Best first, at least one. `partial`: the text goes on, and will be complete soon. */
  | { readonly kind: 'suggestions'; readonly suggestions: readonly Suggestion[]; readonly partial: boolean }
  | { readonly kind: 'none'; readonly reason: NoSuggestionReason; readonly detail?: string };
