import type { Connection } from 'vscode-languageserver';
import {
  CLIPBOARD_NOTIFICATION,
  CONTEXT_REQUEST,
  DIAGNOSTICS_NOTIFICATION,
  type ShownSnippet,
  WORKSPACE_NOTIFICATION,
  type WorkspaceState,
} from '../../protocol/index.js';
import type { ContextService } from '../context/context-service.js';
import type { SettingsStore } from '../settings/settings-store.js';
import type { Log } from '../util/log.js';
import type { DocumentListener } from './documents.js';
import type { WorkspaceFolders } from './workspace-folders.js';

export function keepContext(context: ContextService): DocumentListener {
  return {
    opened: (document) => context.update({ kind: 'open', document }),
    edited: ({ uri }) => context.update({ kind: 'change', uri }),
    closed: ({ uri }) => context.update({ kind: 'close', uri }),
  };
}

/**
 * Passes folders, settings, and the notifications of protocol/context.ts to the context service.
 *
 * @returns passes on new settings
 */
export function handleContext(
  connection: Connection,
  folders: WorkspaceFolders,
  settings: SettingsStore,
  context: ContextService,
  log: Log,
): () => void {
  let workspace: WorkspaceState | null = null;
  const update = (): void => {
    const { contextEnabled, contextExclude, contextClipboard } = settings.current;
    context.setFacts({
      enabled: contextEnabled,
      folderUris: folders.uris,
      trusted: workspace?.trusted ?? null,
      exclude: [...contextExclude, ...(workspace?.exclude ?? [])],
      clipboard: contextClipboard,
    });
  };
  folders.onDidChange(update);

  connection.onNotification(WORKSPACE_NOTIFICATION, (params: unknown) => {
    if (!isWorkspaceState(params)) return log.warn(`${WORKSPACE_NOTIFICATION} must hold trusted and exclude; ignored.`);
    workspace = params;
    update();
  });
  connection.onNotification(CLIPBOARD_NOTIFICATION, (params: unknown) => {
    const text = textOf(params, 'text');
    if (text === null) return log.warn(`${CLIPBOARD_NOTIFICATION} must hold a text; ignored.`);
    context.setClipboard(text);
  });
  connection.onNotification(DIAGNOSTICS_NOTIFICATION, (params: unknown) => {
    const uri = textOf(params, 'uri');
    const messages = uri === null ? null : (params as { readonly messages?: unknown }).messages;
    if (uri === null || !isTexts(messages)) {
      return log.warn(`${DIAGNOSTICS_NOTIFICATION} must hold a URI and messages; ignored.`);
    }
    context.setDiagnostics(uri, messages);
  });
  connection.onRequest(CONTEXT_REQUEST, (params: unknown): readonly ShownSnippet[] | null => {
    const uri = textOf(params, 'uri');
    return uri === null ? null : (context.lastBlock(uri)?.snippets ?? null);
  });
  return update;
}

function textOf(params: unknown, name: 'uri' | 'text'): string | null {
  if (typeof params !== 'object' || params === null || !(name in params)) return null;
  const value: unknown = (params as Record<typeof name, unknown>)[name];
  return typeof value === 'string' ? value : null;
}

function isWorkspaceState(params: unknown): params is WorkspaceState {
  if (typeof params !== 'object' || params === null || !('trusted' in params) || !('exclude' in params)) return false;
  const { trusted, exclude } = params;
  return typeof trusted === 'boolean' && isTexts(exclude);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
