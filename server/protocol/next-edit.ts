/**
 * Server to client, notification: the predicted next edit, or that there is none. Sent only to a client
 * whose initialization options say `showsNextEdits: true`.
 */
export const NEXT_EDIT_NOTIFICATION = 'inkling/nextEdit';

export interface NextEditAnnouncement {
  /** Null: no edit is predicted, or the announced one no longer is. */
  readonly edit: NextEdit | null;
}

/** Zero-based line and UTF-16 column. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface NextEdit {
  /** Unique within this server process. */
  readonly id: number;
  readonly uri: string;
  /** The document's version for which the range holds. */
  readonly version: number;
  readonly range: { readonly start: Place; readonly end: Place };
  /** What stands in the range, with the document's line ends. */
  readonly oldText: string;
  readonly newText: string;
  readonly reason: NextEditReason;
  /** How many more of the same kind follow. */
  readonly more: number;
}

/**
 * `repeat`: the user made this replacement elsewhere. `argument`: a function got a parameter, and this is a call.
 * `model`: a model rewrote the region.
 */
export type NextEditReason = 'repeat' | 'argument' | 'model';

/** Client to server, notification: what became of an announced edit. */
export const NEXT_EDIT_OUTCOME_NOTIFICATION = 'inkling/nextEditOutcome';

/** `readOnly`: the client cannot change that file, and shows no edit of it. The server then looks behind it. */
export const NEXT_EDIT_OUTCOMES = ['shown', 'applied', 'dismissed', 'readOnly'] as const;

export interface NextEditOutcome {
  readonly id: number;
  readonly outcome: (typeof NEXT_EDIT_OUTCOMES)[number];
}

export const NEXT_EDIT_MODES = ['off', 'calm', 'eager'] as const;

/** `calm`: a hint only, until the user goes there. `eager`: also a preview, where the place is visible. */
export type NextEditMode = (typeof NEXT_EDIT_MODES)[number];

/** Client to server, request without parameters: why the latest edits were announced, or none; newest first. */
export const NEXT_EDIT_DECISIONS_REQUEST = 'inkling/nextEditDecisions';

export interface NextEditDecision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly uri: string;
  /** Zero-based line of the announced edit, or of the last one where none was announced. */
  readonly line: number;
  readonly outcome: 'announced' | 'nothing';
  /** An identifier such as `repeat` or `unsure`. */
  readonly reason: string;
  /** One sentence for people. */
  readonly sentence: string;
}
