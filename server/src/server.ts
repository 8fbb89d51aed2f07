import { ChatService } from './chat/chat-service.js';
import { TemplateRenderer } from './chat/rendering/template-renderer.js';
import { createCompletion } from './create-completion.js';
import { createEngines } from './create-engines.js';
import { openConnection } from './lsp/connection/connection.js';
import { createConnectionLog } from './lsp/connection/connection-log.js';
import { ServerLifetime } from './lsp/connection/lifetime.js';
import { endWithUncaughtErrors } from './lsp/connection/uncaught-errors.js';
import { followDocuments } from './lsp/documents/documents.js';
import { documentListeners, registerHandlers } from './lsp/register-handlers.js';
import type { ServerOptions } from './server-options.js';
import { SettingsStore } from './settings/settings-store.js';
import { describeStatus } from './status.js';
import { removeLeftDrafts } from './util/files/left-drafts.js';

/** Puts the server together. The process lives until the client says `exit` or is gone. */
export function startServer(options: ServerOptions): void {
  const close = async (): Promise<void> => {
    completion.close();
    chat.stop();
    templates.dispose();
    await engines.close();
  };
  const lifetime = new ServerLifetime(close, (processId) => engines.followClient(processId));
  const connection = openConnection(options.transport, lifetime);
  if (options.stateDirectory !== null) removeLeftDrafts(options.stateDirectory);
  const log = createConnectionLog(connection);
  endWithUncaughtErrors(log, () => lifetime.endBroken());

  connection.listen();
  // The client's first message may be on its way by now; the addon loads meanwhile. Messages are handled in a later turn,
  // when every handler below is registered.
  const settings = new SettingsStore(log);
  const currentSettings = () => settings.current;
  const engines = createEngines(options, currentSettings, log, () => lifetime.endBroken());
  const { host, chatEngines, models, chatFiles, monitor } = engines;
  const completion = createCompletion(options, host, currentSettings, () => documents.all(), log);
  const modelFiles = {
    eosToken: (path: string) => models.eosToken(path),
    describe: (path: string) => chatFiles.describe(path),
    chatModelInstead: (storeDirectory: string | null) => models.chatModelInstead(storeDirectory),
  };
  const templates = new TemplateRenderer({ program: options.templateWorker, environment: options.environment });
  const chat = new ChatService(chatEngines, modelFiles, currentSettings, log, templates.render);
  const documents = followDocuments(connection, documentListeners(completion), log);
  const status = () =>
    describeStatus(host.lifecycle, settings.current, monitor.summary(), completion.service.lastCompletion, chatEngines);
  const { version } = options;
  const parts = { settings, engines, completion, chat, documents, status, version };
  const settingsChanged = registerHandlers(connection, parts, log);
  settings.onDidChange((current) => {
    if (!current.enabled) chat.stop();
    engines.settingsChanged(current);
    settingsChanged();
  });
  connection.onShutdown(() => close());
}
