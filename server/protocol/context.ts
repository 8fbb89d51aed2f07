/** Client to server, notification: facts of the workspace that LSP does not carry. The last one replaces the others. */
export const WORKSPACE_NOTIFICATION = 'inkling/workspace';

export interface WorkspaceState {
  /**
   * Whether the user trusts the workspace. In an untrusted one, prompts show open documents of its folders only. Without
   * this notification the server uses open documents only, of any folder.
   */
  readonly trusted: boolean;
  /** Globs of the editor's own `files.exclude`, relative to the workspace folders. */
  readonly exclude: readonly string[];
}

/** Client to server, notification, only while `inkling.context.clipboard` allows it: the clipboard's content. */
export const CLIPBOARD_NOTIFICATION = 'inkling/clipboard';

export interface ClipboardParams {
  readonly text: string;
}

/** Client to server, notification: a document's current diagnostics. The context shows what their messages name. */
export const DIAGNOSTICS_NOTIFICATION = 'inkling/diagnostics';

export interface DiagnosticsParams {
  readonly uri: string;
  /** Most important first. */
  readonly messages: readonly string[];
}

/**
 * Client to server, notification: where names around the cursor are defined, as the language servers of the editor say. The
 * last one of a document replaces those before it. It names places only: the server reads them itself, if the file may be
 * shown.
 */
export const DEFINITIONS_NOTIFICATION = 'inkling/definitions';

export interface DefinitionsParams {
  /** The document that uses the names. */
  readonly uri: string;
  /** Nearest to the cursor first. */
  readonly definitions: readonly NamedDefinition[];
}

export interface NamedDefinition {
  readonly name: string;
  /** The document that defines the name. */
  readonly uri: string;
  /** Zero-based; the last line belongs to the definition. */
  readonly startLine: number;
  readonly endLine: number;
  /** What hovering over the name shows in one line, such as its type; null for nothing. */
  readonly signature: string | null;
}

/**
 * Client to server, request with `MayShowParams`: whether a file's text may be shown to the model although the user has
 * not named the file. `false` for files that are excluded, ignored or secret, for texts with secrets in them, and for
 * every file while `inkling.context.enabled` is off.
 */
export const MAY_SHOW_REQUEST = 'inkling/mayShow';

/** A longer text is shown only if the user names its file, so nobody needs to ask. In UTF-16 units. */
export const LONGEST_SHOWN_TEXT = 131_072;

export interface MayShowParams {
  readonly uri: string;
  /** The file's text, or a part of it. */
  readonly text: string;
}

/** Client to server, request: what the last prompt in a document showed of other files; null without a prompt. */
export const CONTEXT_REQUEST = 'inkling/getContext';

export interface ContextParams {
  readonly uri: string;
}

export interface ShownSnippet {
  /** The path in the prompt. */
  readonly path: string;
  readonly text: string;
  /** The source that found it. */
  readonly why: string;
}
