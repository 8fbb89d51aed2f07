/** The kind of text at a place. */
export type Scope = 'code' | 'comment' | 'string';

/** The innermost pair of brackets around a place. Offsets are UTF-16 units of the document. */
export interface Block {
  /** A `body` contains statements or members; a `list` contains arguments, parameters, elements or properties. */
  readonly kind: 'body' | 'list';
  /** Offset of the opening bracket. */
  readonly start: number;
  /** End of the closing bracket, or of the known text without one. */
  readonly end: number;
  /** Contains only blanks and comments. */
  readonly empty: boolean;
}

/** Replaces the text from `start` to `end`, both offsets in UTF-16 units, with `text`. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** How many places of a text the grammar cannot explain, before and after a change. */
export interface ErrorCounts {
  readonly before: number;
  readonly after: number;
}

/** What a name is at its place. Scopes are ids, which are valid in one text only. */
export interface NameAt {
  /** `member`: of an object or a class, a key, a named argument. `shorthand`: a key and a variable at once. */
  readonly as: 'variable' | 'type' | 'member' | 'shorthand';
  /** The scopes around it, the innermost first. The last one is the file. */
  readonly scopes: readonly number[];
  /** The scope in which it is declared, if it is declared here. */
  readonly declaredIn: number | null;
  /** The innermost class around it. */
  readonly inClass: number | null;
  /** Stands in an import, which declares it for this file. */
  readonly isImport: boolean;
}

/**
 * One document's syntax at one moment. The grammar decides if it has parsed the text, otherwise a scan for comments,
 * strings and brackets. A view of a text that has changed since then uses that scan too, so it becomes coarser, never
 * wrong.
 */
export interface Syntax {
  readonly languageId: string;
  scopeAt(offset: number): Scope;
  /** Null outside all brackets. */
  blockAt(offset: number): Block | null;
  /** The name that begins at an offset; `none` where the grammar sees no name, null where no grammar can tell. */
  nameAt(offset: number): NameAt | 'none' | null;
  /** Null if no grammar can tell, or not within its time limit. */
  errorsWith(change: TextChange): ErrorCounts | null;
}

/** The parts of a document that syntax needs. */
export interface SyntaxDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
}

/** Where the rest of the server gets a document's syntax. */
export interface SyntaxSource {
  /** Answers within a few milliseconds. Slower work continues in the background for the next call. */
  at(document: SyntaxDocument): Syntax;
}
