import {
  type Connection,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import { ACCEPTED_COMMAND, isText, parseTranslations, setTranslations } from '../../protocol/index.js';
import type { SettingsStore } from '../settings/settings-store.js';
import type { WorkspaceFolders } from './documents/workspace-folders.js';

export interface InitializeListener {
  /** The client is Inkling's extension, which registers the command of items itself and reports the cursor. */
  ownClient(): void;
  /** The client shows next edits. They take work, so none is looked for without a client that says so. */
  showsNextEdits(): void;
  /** The path of a model with which earlier servers crashed too often; before the settings ask for it. */
  crashedModel(path: string): void;
  initialized(): void;
}

/** The LSP handshake. Setting the settings starts loading the model, so that it loads during the handshake. */
export function handleInitialize(
  connection: Connection,
  settings: SettingsStore,
  folders: WorkspaceFolders,
  version: string,
  { ownClient, showsNextEdits, crashedModel, initialized }: InitializeListener,
): void {
  let clientTellsFolders = false;

  connection.onInitialize((params: InitializeParams): InitializeResult => {
    setTranslations(parseTranslations(params.initializationOptions?.translations));
    const isOwnClient = params.initializationOptions?.ownClient === true;
    if (isOwnClient) ownClient();
    if (params.initializationOptions?.showsNextEdits === true) showsNextEdits();
    const model: unknown = params.initializationOptions?.crashedModel;
    if (isText(model)) crashedModel(model);
    settings.update(params.initializationOptions);
    folders.initialize(params);
    clientTellsFolders = params.capabilities?.workspace?.workspaceFolders === true;
    return {
      capabilities: {
        positionEncoding: 'utf-16',
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        inlineCompletionProvider: true,
        // Our extension registers the command itself: it must exist while no server runs, and VS Code takes an id once.
        ...(isOwnClient ? {} : { executeCommandProvider: { commands: [ACCEPTED_COMMAND] } }),
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
