/** Which source found a snippet; for the debugging views, never part of the prompt. */
export type ContextReason =
  | 'definition'
  | 'importedDeclaration'
  | 'recentEdit'
  | 'similarSnippet'
  | 'openFile'
  | 'notebookCell'
  | 'diagnostic'
  | 'clipboard';

/** A piece of another file that the prompt shows before the current one. */
export interface ContextSnippet {
  /** The path in the prompt, such as `src/cart.ts`; contains no line end. */
  readonly path: string;
  /** Whole lines with `\n` line ends, the last one included. */
  readonly text: string;
  readonly why: ContextReason;
}

/** What the prompt shows of the rest of the project, in order. Frozen: equal blocks are the same object. */
export interface ContextBlock {
  /** Name of the workspace folder; null for a document outside every folder. */
  readonly repository: string | null;
  /** The current document's language: its comments name files if the model has no file token. */
  readonly languageId: string;
  readonly snippets: readonly ContextSnippet[];
}

export const EMPTY_CONTEXT: ContextBlock = Object.freeze({
  repository: null,
  languageId: 'plaintext',
  snippets: Object.freeze([]),
});
