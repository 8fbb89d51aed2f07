import type { Connection } from 'vscode-languageserver';
import {
  CLIPBOARD_NOTIFICATION,
  CONTEXT_REQUEST,
  DEFINITIONS_NOTIFICATION,
  type DefinitionsParams,
  DIAGNOSTICS_NOTIFICATION,
  isBoolean,
  isCount,
  isRecord,
  isText,
  isTexts,
  MAY_SHOW_REQUEST,
  type ShownSnippet,
  WORKSPACE_NOTIFICATION,
  type WorkspaceState,
} from '../../../protocol/index.js';
import type { ContextService } from '../../context/context-service.js';
import type { SettingsStore } from '../../settings/settings-store.js';
import type { Log } from '../../util/log.js';
import type { DocumentListener } from '../documents/documents.js';
import type { WorkspaceFolders } from '../documents/workspace-folders.js';

/** Tells the context service which documents are open and change. */
export function contextListener(context: ContextService): DocumentListener {
  return {
    opened: (document) => context.update({ kind: 'open', document }),
    edited: ({ uri }) => context.update({ kind: 'change', uri }),
    closed: ({ uri }) => context.update({ kind: 'close', uri }),
  };
}

/**
 * Passes folders, settings, and the notifications of protocol/context.ts to the context service.
 *
 * @returns a function to call after each change of the settings
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
    if (!isRecord(params) || !isText(params.text)) {
      return log.warn(`${CLIPBOARD_NOTIFICATION} must hold a text; ignored.`);
    }
    context.setClipboard(params.text);
  });
  connection.onNotification(DIAGNOSTICS_NOTIFICATION, (params: unknown) => {
    if (!isRecord(params) || !isText(params.uri) || !isTexts(params.messages)) {
      return log.warn(`${DIAGNOSTICS_NOTIFICATION} must hold a URI and messages; ignored.`);
    }
    context.setDiagnostics(params.uri, params.messages);
  });
  connection.onNotification(DEFINITIONS_NOTIFICATION, (params: unknown) => {
    if (!isDefinitions(params))
      return log.warn(`${DEFINITIONS_NOTIFICATION} must hold a URI and definitions; ignored.`);
    context.setDefinitions(params.uri, params.definitions);
  });
  connection.onRequest(CONTEXT_REQUEST, (params: unknown): readonly ShownSnippet[] | null =>
    isRecord(params) && isText(params.uri) ? (context.lastBlock(params.uri)?.snippets ?? null) : null,
  );
  connection.onRequest<boolean, void>(MAY_SHOW_REQUEST, async (params: unknown) => {
    if (!isRecord(params) || !isText(params.uri) || !isText(params.text)) return false;
    return context.mayShow(params.uri, params.text);
  });
  return update;
}

function isDefinitions(params: unknown): params is DefinitionsParams {
  if (!isRecord(params) || !isText(params.uri) || !Array.isArray(params.definitions)) return false;
  return params.definitions.every((each: unknown) => {
    if (!isRecord(each) || !isText(each.name) || !isText(each.uri)) return false;
    const isSigned = each.signature === null || isText(each.signature);
    return isSigned && isCount(each.startLine) && isCount(each.endLine);
  });
}

function isWorkspaceState(params: unknown): params is WorkspaceState {
  return isRecord(params) && isBoolean(params.trusted) && isTexts(params.exclude);
}
