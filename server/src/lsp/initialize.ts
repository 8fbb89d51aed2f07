import {
  type Connection,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import { parseTranslations, setTranslations } from '../../protocol/index.js';
import type { SettingsStore } from '../settings/settings-store.js';
import type { WorkspaceFolders } from './workspace-folders.js';

/** The LSP handshake. Setting the settings starts loading the model, so that it loads during the handshake. */
export function handleInitialize(
  connection: Connection,
  settings: SettingsStore,
  folders: WorkspaceFolders,
  version: string,
  initialized: () => void,
): void {
  let clientTellsFolders = false;

  connection.onInitialize((params: InitializeParams): InitializeResult => {
    setTranslations(parseTranslations(params.initializationOptions?.translations));
    settings.update(params.initializationOptions);
    folders.initialize(params);
    clientTellsFolders = params.capabilities?.workspace?.workspaceFolders === true;
    return {
      capabilities: {
        positionEncoding: 'utf-16',
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        inlineCompletionProvider: true,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
      serverInfo: { name: 'inkling', version },
    };
  });

  connection.onInitialized(() => {
    if (clientTellsFolders) folders.followChanges(connection);
    initialized();
  });
}
