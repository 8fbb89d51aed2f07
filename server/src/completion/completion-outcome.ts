/** A piece of ghost text. Offsets are UTF-16 units of the document that was asked about. */
export interface Suggestion {
  /** Unique within this server's life. */
  readonly id: number;
  readonly text: string;
  /**
   * What the text replaces. `start` is the cursor unless the suggest widget has an item selected; `end` is the cursor,
   * or behind closing brackets that the text brings itself.
   */
  readonly start: number;
  readonly end: number;
}

/** Why there is nothing to show. Never a message to the user; the log and, on request, the user may see it. */
export type NoSuggestionReason =
  | 'disabled'
  | 'languageDisabled'
  | 'modelNotReady'
  | 'noFimTemplate'
  | 'cancelled'
  | 'engineError'
  | 'filtered';

export type CompletionOutcome =
  | { readonly kind: 'suggestion'; readonly suggestion: Suggestion }
  | { readonly kind: 'none'; readonly reason: NoSuggestionReason; readonly detail?: string };
