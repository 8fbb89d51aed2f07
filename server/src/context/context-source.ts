import type { ContextReason, ContextSnippet } from '../prompt/context-block.js';
import type { Declaration } from './languages/declaration.js';
import type { SnippetWindow } from './snippet-windows.js';

/** The document at the moment of a completion request. */
export interface ContextDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
}

/** A file that was read and may be shown. A change replaces the whole object. */
export interface IndexedFile {
  /** Identifies the file, independent of its URI's spelling (file-location.ts). */
  readonly key: string;
  /** The path in prompts. */
  readonly path: string;
  /** Languages whose files complete each other, such as TypeScript and JavaScript. */
  readonly family: string;
  /** With `\n` line ends. */
  readonly lines: readonly string[];
  readonly declarations: readonly Declaration[];
  readonly windows: readonly SnippetWindow[];
  /** For each import, in order: its names, and the keys of the files that it may refer to. */
  readonly imports: readonly ResolvedImport[];
  /** Line ranges that the user changed, the last change last; half-open in `lines`. */
  readonly edits: readonly EditedLines[];
  /** Order of the last visits: a greater number is later; 0 for files only read from disk. */
  readonly visited: number;
}

export interface ResolvedImport {
  /** Names in this file with their declared names; null for everything. */
  readonly names: readonly ImportedName[] | null;
  /** The name of the whole module in this file, if it has one. */
  readonly module?: string;
  readonly targets: readonly string[];
}

export interface ImportedName {
  readonly local: string;
  readonly declared: string;
}

/** Half-open, in lines. `time` orders edits across files: a greater number is later. */
export interface EditedLines {
  readonly start: number;
  readonly end: number;
  readonly time: number;
}

/** What sources get: everything known about the place of the cursor. */
export interface ContextQuery {
  /** Key of the current document. */
  readonly key: string;
  readonly uri: string;
  readonly languageId: string;
  readonly family: string;
  /** The current document as last read; null before that, or if it may not be read. */
  readonly current: IndexedFile | null;
  /** Lines around the cursor, and the index of the cursor's line. */
  readonly nearbyLines: readonly string[];
  readonly cursorLine: number;
  /** Every file that may be shown except the current one, latest visit first. */
  readonly files: readonly IndexedFile[];
  /** By key. */
  fileByKey(key: string): IndexedFile | null;
  /** Whether the deadline has passed: a source then returns what it has found. */
  expired(): boolean;
}

/** A snippet with the values that decide whether it is shown. */
export interface ContextCandidate extends ContextSnippet {
  /** The snippet's file: its snippets disappear if it may no longer be shown. Null without a file. */
  readonly fileKey: string | null;
  /** Line of its start in the file; orders snippets of one file. */
  readonly line: number;
  /** How helpful it probably is, from 0 to 1. */
  readonly score: number;
}

/** Searches the index; never reads a file and never waits. */
export interface ContextSource {
  readonly why: ContextReason;
  find(query: ContextQuery): readonly ContextCandidate[];
}
