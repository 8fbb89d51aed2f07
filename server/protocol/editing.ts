/**
 * Client to server, notifications: what the user does besides changing text. All of them are optional: a client that
 * sends none still gets suggestions.
 */

/** Why a document changed, where the text alone does not say. */
export const EDIT_REASON_NOTIFICATION = 'inkling/editReason';

export interface EditReason {
  readonly uri: string;
  /** The document's version after the change. */
  readonly version: number;
  readonly reason: 'undo' | 'redo';
}

/**
 * The new cursor position in the active editor; not sent for moves by typing, but before the first change of a document.
 * Changes of other documents are then not the user's.
 */
export const CURSOR_NOTIFICATION = 'inkling/cursorMoved';

export interface CursorMoved {
  readonly uri: string;
  /** Zero-based line and UTF-16 column. */
  readonly line: number;
  readonly character: number;
}

/** The user accepted a suggestion. */
export const ACCEPTANCE_NOTIFICATION = 'inkling/accepted';

export type Acceptance =
  /** All of it. */
  | { readonly kind: 'all'; readonly suggestionId: number }
  /** A word or a line of the shown text, as it is now in the document. */
  | { readonly kind: 'part'; readonly uri: string; readonly text: string };
