import { Disposable, env, languages, type Uri, window, workspace } from 'vscode';
import {
  CLIPBOARD_NOTIFICATION,
  type ClipboardParams,
  DIAGNOSTICS_NOTIFICATION,
  type DiagnosticsParams,
  WORKSPACE_NOTIFICATION,
  type WorkspaceState,
} from '../../../server/protocol/index.js';
import { hiddenGlobs, type ScopedValues } from '../manifest/united-scopes.js';

type Notify = (method: string, parameters: unknown) => void;

/** Longer texts are no code to adapt; the server would drop them. */
const LONGEST_CLIPBOARD = 4_096;

const MOST_DIAGNOSTICS = 32;
const LONGEST_MESSAGE = 500;

/** Reports whether the workspace is trusted and which files it hides, now and after changes. */
export function reportWorkspace(notify: Notify): Disposable {
  const send = (): void => {
    const state: WorkspaceState = {
      trusted: workspace.isTrusted,
      exclude: hiddenGlobs([undefined, ...folderUris()].map(filesExclude)),
    };
    notify(WORKSPACE_NOTIFICATION, state);
  };
  send();
  return Disposable.from(
    workspace.onDidGrantWorkspaceTrust(send),
    workspace.onDidChangeWorkspaceFolders(send),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('files.exclude')) send();
    }),
  );
}

/** Reports the clipboard's content when the user returns to the window or to an editor. */
export function reportClipboard(notify: Notify, isAllowed: () => boolean): Disposable {
  let last = '';
  const send = async (): Promise<void> => {
    if (!isAllowed()) return;
    // A browser may refuse it, as while another window has the keyboard.
    const text = await env.clipboard.readText().then(undefined, () => null);
    if (text === null || !isAllowed() || text === last || text.length > LONGEST_CLIPBOARD) return;
    last = text;
    const parameters: ClipboardParams = { text };
    notify(CLIPBOARD_NOTIFICATION, parameters);
  };
  return Disposable.from(
    window.onDidChangeWindowState(({ focused }) => (focused ? send() : undefined)),
    window.onDidChangeActiveTextEditor(send),
  );
}

/** Reports the diagnostics of the document that the user works in, now and after changes. */
export function reportDiagnostics(notify: Notify): Disposable {
  const send = (): void => {
    const uri = window.activeTextEditor?.document.uri;
    if (uri === undefined) return;
    const found = [...languages.getDiagnostics(uri)].sort((left, right) => left.severity - right.severity);
    const messages = found.slice(0, MOST_DIAGNOSTICS).map(({ message }) => message.slice(0, LONGEST_MESSAGE));
    const parameters: DiagnosticsParams = { uri: uri.toString(), messages };
    notify(DIAGNOSTICS_NOTIFICATION, parameters);
  };
  send();
  const isActive = (uri: Uri): boolean => uri.toString() === window.activeTextEditor?.document.uri.toString();
  return Disposable.from(
    languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some(isActive)) send();
    }),
    window.onDidChangeActiveTextEditor(send),
  );
}

function folderUris(): Uri[] {
  return (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
}

/** @param folder undefined for the window */
function filesExclude(folder: Uri | undefined): ScopedValues | undefined {
  return workspace.getConfiguration('files', folder).inspect('exclude');
}
