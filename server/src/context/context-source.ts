import type { ContextReason, ContextSnippet } from '../prompt/context-block.js';
import type { Declaration } from './languages/declaration.js';
import type { SnippetWindow } from './snippet-windows.js';

/** A document at one moment, as a completion is asked for in it. */
export interface ContextDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
}

/** A file that may be shown and has been read; replaced as a whole when it changes. */
export interface IndexedFile {
  /** Identifies the file, however its URI is spelled (file-location.ts). */
  readonly key: string;
  /** As prompts name it. */
  readonly path: string;
  /** Family of languages that complete each other, such as TypeScript and JavaScript. */
  readonly family: string;
  /** With `\n` line ends. */
  readonly lines: readonly string[];
  readonly declarations: readonly Declaration[];
  readonly windows: readonly SnippetWindow[];
  /** For each import, in the file's order, what it takes and the keys of the files that it may mean. */
  readonly imports: readonly ResolvedImport[];
  /** Stretches that the user changed, the last one last; line numbers of `lines`. */
  readonly edits: readonly EditedLines[];
  /** The order in which files were last looked at: the greater, the later; 0 for those only read from disk. */
  readonly visited: number;
}

export interface ResolvedImport {
  /** Names as the file uses them, with what they are called where they are declared; null takes everything. */
  readonly names: readonly ImportedName[] | null;
  readonly targets: readonly string[];
}

export interface ImportedName {
  readonly local: string;
  readonly declared: string;
}

/** Half-open, in lines. `time` orders edits across files: the greater, the later. */
export interface EditedLines {
  readonly start: number;
  readonly end: number;
  readonly time: number;
}

/** What sources are asked: everything that they may know of the place where code is wanted. */
export interface ContextQuery {
  /** Key of the current document. */
  readonly key: string;
  readonly uri: string;
  readonly languageId: string;
  readonly family: string;
  /** The current document as it was read last; null before that, or if it may not be read. */
  readonly current: IndexedFile | null;
  /** Lines around the cursor, and which of them is the cursor's. */
  readonly nearbyLines: readonly string[];
  readonly cursorLine: number;
  /** Every file that may be shown, the current one excluded, the one that was looked at last first. */
  readonly files: readonly IndexedFile[];
  /** By key. */
  fileByKey(key: string): IndexedFile | undefined;
  /** Whether the deadline has passed: a source then returns what it has. */
  expired(): boolean;
}

/** A snippet with what decides whether it is shown. */
export interface ContextCandidate extends ContextSnippet {
  /** The file that it is from; a file that may no longer be shown takes its snippets with it. Null for no file. */
  readonly fileKey: string | null;
  /** Of its first line in the file; orders snippets of one file. */
  readonly line: number;
  /** From 0 to 1: how much it promises to help. */
  readonly score: number;
}

/** Looks up what was indexed before; never reads a file and never waits. */
export interface ContextSource {
  readonly why: ContextReason;
  find(query: ContextQuery): readonly ContextCandidate[];
}
