/**
 * Client to server, notification: what the user does beyond changing text. All of it is optional; a client that sends
 * nothing of the kind gets suggestions all the same.
 */

/** Why a document changed where the text alone does not say. */
export const EDIT_REASON_NOTIFICATION = 'inkling/editReason';

export interface EditReason {
  readonly uri: string;
  /** The document's version after the change. */
  readonly version: number;
  readonly reason: 'undo' | 'redo';
}

/** Where the cursor of the active editor is now; not sent for moves that typing makes. */
export const CURSOR_NOTIFICATION = 'inkling/cursorMoved';

export interface CursorMoved {
  readonly uri: string;
  /** Zero-based line and UTF-16 column. */
  readonly line: number;
  readonly character: number;
}

/** What became of a suggestion. */
export const ACCEPTANCE_NOTIFICATION = 'inkling/accepted';

export type Acceptance =
  /** The whole of it. */
  | { readonly kind: 'all'; readonly suggestionId: number }
  /** A word or a line of what was shown, as it then stood in the document. */
  | { readonly kind: 'part'; readonly uri: string; readonly text: string };
