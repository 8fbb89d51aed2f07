/** Client to server, notification: facts of the workspace that LSP does not carry. The last one replaces the others. */
export const WORKSPACE_NOTIFICATION = 'inkling/workspace';

export interface WorkspaceState {
  /**
   * Whether the user trusts the workspace. Prompts show nothing from outside an untrusted workspace's folders. Without
   * this notification the server uses open documents only.
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
