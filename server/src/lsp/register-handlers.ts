import type { Connection } from 'vscode-languageserver';
import type { InklingStatus } from '../../protocol/index.js';
import type { ChatService } from '../chat/chat-service.js';
import type { Completion } from '../create-completion.js';
import type { Engines } from '../create-engines.js';
import type { SettingsStore } from '../settings/settings-store.js';
import type { Log } from '../util/log.js';
import { handleConfiguration } from './configuration.js';
import type { DocumentListener, FollowedDocuments } from './documents/documents.js';
import { ShownDocuments } from './documents/shown-documents.js';
import { WorkspaceFolders } from './documents/workspace-folders.js';
import { handleInitialize } from './initialize.js';
import { handleAcceptance } from './requests/acceptance.js';
import { handleChat } from './requests/chat.js';
import { contextListener, handleContext } from './requests/context.js';
import { handleDecisions } from './requests/decisions.js';
import { handleEditing } from './requests/editing.js';
import { handleHeartbeat } from './requests/heartbeat.js';
import { handleInlineCompletion } from './requests/inline-completion.js';
import { handleMemory } from './requests/memory.js';
import { handleModels } from './requests/models.js';
import { handleNextEdits } from './requests/next-edit.js';
import { handleStatus } from './requests/status.js';
import { syntaxTreesListener } from './requests/syntax.js';

export interface ServerParts {
  readonly settings: SettingsStore;
  readonly engines: Engines;
  readonly completion: Completion;
  readonly chat: ChatService;
  readonly documents: FollowedDocuments;
  readonly status: () => InklingStatus;
  readonly version: string;
}

/**
 * Registers a handler for everything that clients ask.
 *
 * @returns a function to call after each change of the settings
 */
export function registerHandlers(connection: Connection, parts: ServerParts, log: Log): () => void {
  const { settings, engines, completion, chat, documents } = parts;
  const { host, chatHost, models, chatFiles, monitor } = engines;
  const { service, context, acceptance, statistics, nextEdits } = completion;
  const folders = new WorkspaceFolders();
  const shown = new ShownDocuments(documents, folders, service, host.client);
  const status = handleStatus(connection, parts.status, log);
  host.lifecycle.onDidChange(status.changed);
  chatHost.lifecycle.onDidChange(status.changed);
  service.onDidComplete(status.changed);
  monitor.onDidChange(status.changed);

  handleInitialize(connection, settings, folders, parts.version, {
    ownClient: () => {
      shown.clientReportsCursor();
      nextEdits.clientReportsCursor();
    },
    showsNextEdits: () => nextEdits.clientShowsNextEdits(),
    crashedModel: (path) => engines.crashed.note(path),
    initialized: status.start,
  });
  handleHeartbeat(connection);
  handleConfiguration(connection, settings);
  handleInlineCompletion(connection, documents, folders, service, acceptance.shown.bind(acceptance), log);
  handleEditing(connection, documents, folders, service, nextEdits, shown, log);
  handleAcceptance(connection, documents, folders, service, acceptance, log);
  handleNextEdits(connection, nextEdits, log);
  acceptance.onDidAccept(({ uri }) => nextEdits.suggestionAccepted(uri));
  handleDecisions(connection, service, nextEdits, statistics);
  const updateContext = handleContext(connection, folders, settings, context, log);
  handleModels(connection, models, chatFiles);
  handleChat(connection, chat, log);
  handleMemory(connection, [host.lifecycle, chatHost.lifecycle], monitor, () => engines.load(), log);
  return () => {
    service.settingsChanged();
    nextEdits.settingsChanged();
    updateContext();
    status.changed();
  };
}

/** Keeps what is known of open documents in step with them. */
export function documentListeners({
  service,
  syntaxTrees,
  context,
  acceptance,
  nextEdits,
}: Completion): readonly DocumentListener[] {
  return [
    syntaxTreesListener(syntaxTrees),
    contextListener(context),
    {
      edited: (document, changes) => {
        const { uri, version } = document;
        const textBefore = (offset: number) => document.getText().slice(Math.max(0, offset - 2), offset);
        service.documentEdited(uri, version, changes, textBefore);
        acceptance.edited(uri, changes);
      },
      closed: ({ uri }) => {
        service.documentClosed(uri);
        acceptance.closed(uri);
      },
    },
    {
      edited: ({ uri, version }, changes) => nextEdits.documentEdited(uri, version, changes),
      closed: ({ uri }) => nextEdits.documentClosed(uri),
    },
  ];
}
