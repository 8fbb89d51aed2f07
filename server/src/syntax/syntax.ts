/** What kind of text stands at a place. */
export type Scope = 'code' | 'comment' | 'string';

/** The innermost pair of brackets around a place. Offsets are UTF-16 units of the document. */
export interface Block {
  /** A `body` holds statements or members; a `list` holds arguments, parameters, elements or properties. */
  readonly kind: 'body' | 'list';
  /** Offset of the opening bracket. */
  readonly start: number;
  /** Behind the closing bracket; the end of what is known where there is none yet. */
  readonly end: number;
  /** Nothing but blanks and comments inside. */
  readonly empty: boolean;
}

/** Replaces what stands from `start` to `end`, both offsets in UTF-16 units, with `text`. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** How many places of a text its language's grammar cannot explain, before a change and after it. */
export interface ErrorCounts {
  readonly before: number;
  readonly after: number;
}

/**
 * What is known of one document's syntax at one moment. Where a grammar has parsed the text it decides; where it has
 * not (yet), a scan for comments, strings and brackets does. A view of a text that has changed since answers by that
 * scan too, so it never becomes wrong, only coarser.
 */
export interface Syntax {
  readonly languageId: string;
  scopeAt(offset: number): Scope;
  /** Null outside all brackets. */
  blockAt(offset: number): Block | null;
  /** Null where no grammar can tell, or not within its time limit. */
  errorsWith(change: TextChange): ErrorCounts | null;
}

/** A document, as much of it as syntax needs. */
export interface SyntaxDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
}

/** Where the rest of the server gets a document's syntax from. */
export interface SyntaxSource {
  /** Answers at once, within a few milliseconds. What takes longer goes on in the background and helps the next call. */
  at(document: SyntaxDocument): Syntax;
}
