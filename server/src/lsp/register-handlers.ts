import type { Connection } from 'vscode-languageserver';
import type { InklingStatus } from '../../protocol/index.js';
import type { ChatService } from '../chat/chat-service.js';
import type { Completion } from '../create-completion.js';
import type { Engines } from '../create-engines.js';
import type { SettingsStore } from '../settings/settings-store.js';
import type { Log } from '../util/log.js';
import { handleChat } from './chat.js';
import { handleConfiguration } from './configuration.js';
import { handleContext, keepContext } from './context.js';
import { handleDecisions } from './decisions.js';
import type { DocumentListener, OpenDocuments } from './documents.js';
import { handleEditing } from './editing.js';
import { handleHeartbeat } from './heartbeat.js';
import { handleInitialize } from './initialize.js';
import { handleInlineCompletion } from './inline-completion.js';
import { handleMemory } from './memory.js';
import { handleModels } from './models.js';
import { handleStatus } from './status.js';
import { keepSyntaxTrees } from './syntax.js';
import { WorkspaceFolders } from './workspace-folders.js';

export interface ServerParts {
  readonly settings: SettingsStore;
  readonly engines: Engines;
  readonly completion: Completion;
  readonly chat: ChatService;
  readonly documents: OpenDocuments;
  readonly status: () => InklingStatus;
  readonly version: string;
}

/**
 * Answers everything that clients ask.
 * @returns tells the features that follow settings about new ones
 */
export function registerHandlers(connection: Connection, parts: ServerParts, log: Log): () => void {
  const { settings, engines, completion, chat, documents } = parts;
  const { host, chatHost, models, chatFiles, monitor } = engines;
  const { service, context, acceptance, statistics } = completion;
  const folders = new WorkspaceFolders();
  const status = handleStatus(connection, parts.status);
  host.lifecycle.onDidChange(status.changed);
  chatHost.lifecycle.onDidChange(status.changed);
  service.onDidComplete(status.changed);
  monitor.onDidChange(status.changed);

  handleInitialize(connection, settings, folders, parts.version, {
    crashedModel: (path) => engines.crashed.note(path),
    initialized: status.start,
  });
  handleHeartbeat(connection);
  handleConfiguration(connection, settings);
  handleInlineCompletion(connection, documents, folders, service, acceptance.shown.bind(acceptance), log);
  handleEditing(connection, documents, folders, service, acceptance, log);
  handleDecisions(connection, service, statistics);
  const updateContext = handleContext(connection, folders, settings, context, log);
  handleModels(connection, models, chatFiles);
  handleChat(connection, chat, log);
  handleMemory(connection, [host.lifecycle, chatHost.lifecycle], monitor, () => engines.load());
  return () => {
    updateContext();
    status.changed();
  };
}

/** Keeps what is known of open documents in step with them. */
export function documentListeners({ service, syntaxTrees, context }: Completion): readonly DocumentListener[] {
  return [
    keepSyntaxTrees(syntaxTrees),
    keepContext(context),
    {
      edited: ({ uri, version }, changes) => service.documentEdited(uri, version, changes),
      closed: ({ uri }) => service.documentClosed(uri),
    },
  ];
}
