/** Client to server, notification: facts of the workspace that LSP does not carry. The last one counts. */
export const WORKSPACE_NOTIFICATION = 'inkling/workspace';

export interface WorkspaceState {
  /**
   * Whether the user trusts the workspace. From one that is not trusted, nothing outside its folders is shown to the
   * model. A server that is not told uses open documents only.
   */
  readonly trusted: boolean;
  /** Globs of the editor's own `files.exclude`, relative to the workspace folders. */
  readonly exclude: readonly string[];
}

/** Client to server, notification, only while `inkling.context.clipboard` allows it: what the clipboard holds. */
export const CLIPBOARD_NOTIFICATION = 'inkling/clipboard';

export interface ClipboardParams {
  readonly text: string;
}

/** Client to server, notification: what is wrong in a document now, so that what the messages name can be shown. */
export const DIAGNOSTICS_NOTIFICATION = 'inkling/diagnostics';

export interface DiagnosticsParams {
  readonly uri: string;
  /** In the order of their importance. */
  readonly messages: readonly string[];
}

/** Client to server, request: what the last prompt in a document showed of other files; null if there was none. */
export const CONTEXT_REQUEST = 'inkling/getContext';

export interface ContextParams {
  readonly uri: string;
}

export interface ShownSnippet {
  /** As the prompt names the file. */
  readonly path: string;
  readonly text: string;
  /** Which source found it. */
  readonly why: string;
}
