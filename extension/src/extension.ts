import { type ExtensionContext, type LogOutputChannel, window } from 'vscode';
import { DECISIONS_REQUEST, type Decision, type InklingStatus } from '../../server/protocol/index.js';
import type { InklingApi } from './api.js';
import { Chat } from './chat.js';
import { type ServerEnvironment, ServerLife } from './client/server-life.js';
import { Session } from './client/session.js';
import { commandHandlers } from './command-handlers.js';
import { registerCommands } from './commands.js';
import { followActiveLanguage } from './editor/active-language.js';
import { reportEditing } from './editor/editing-events.js';
import { ContextKeys } from './manifest/context-keys.js';
import { readStatusMemory, writeRemoteUrl } from './manifest/settings.js';
import { UserSettings } from './manifest/user-settings.js';
import { freeCaches, loadModel, unloadModel } from './memory/memory-actions.js';
import { MemoryView } from './memory/memory-view.js';
import { createModels } from './models/create-models.js';
import { lastDownloadRate, type Models } from './models/models.js';
import { runOrTell } from './models/run-or-tell.js';
import { RemoteAccess } from './remote/remote-access.js';
import { sentenceForAsked } from './reports/decision-report.js';
import { Reports } from './reports/reports.js';
import { StatusBar } from './status/status-bar.js';
import { Suggestions } from './suggestions.js';
import { createLog, describeError } from './texts/log.js';
import { notify, showNotice } from './texts/notify.js';
import { welcomeOnce } from './welcome.js';

/** The composition root: constructs and connects everything that lives as long as the extension. */
export class InklingExtension {
  readonly log: LogOutputChannel = createLog();
  readonly #session: Session;
  readonly #chat: Chat;
  readonly #suggestions: Suggestions;
  readonly #models: Models;

  constructor(context: ExtensionContext) {
    const { log } = this;
    const settings = new UserSettings();
    const statusBar = new StatusBar(readStatusMemory(settings.configuration));
    const contextKeys = new ContextKeys();
    const chat = new Chat(context, {
      request: (method, parameters, token) => this.#session.request(method, parameters, token),
      isOn: () => settings.current.enabled,
      showsEdit: (isVisible) => {
        contextKeys.showEdit(isVisible);
        suggestions.showEdit(isVisible);
      },
      downloadRate: () => lastDownloadRate(context.globalState),
      log: (message) => log.info(message),
    });
    this.#chat = chat;
    const suggestions = new Suggestions({
      settings,
      contextKeys,
      notify: (method, parameters) => this.#session.notify(method, parameters),
      explainNothing: () => void this.#explainNoSuggestion(),
      log,
    });
    this.#suggestions = suggestions;
    const remote = new RemoteAccess({
      secrets: context.secrets,
      settings: () => settings.current,
      onDidChangeSettings: (listener) => settings.onDidChange(listener),
      writeUrl: (url) => writeRemoteUrl(settings.configuration, url),
      restart: () => this.#session.renew(),
      log: (message) => log.error(message),
    });
    const environment: ServerEnvironment = {
      serverModule: context.asAbsolutePath('dist/server.js'),
      stateDirectory: context.globalStorageUri.fsPath,
      log,
      middleware: suggestions.middleware,
      readSettings: () => settings.current,
      writtenSettings: () => suggestions.writtenSettings(),
      onDidChangeSettings: (listener) => suggestions.onDidChangeSettings(listener),
      variables: () => remote.variables(),
    };
    const show = (status: InklingStatus) => {
      contextKeys.showState(status.state);
      statusBar.show(status);
      chat.show(status);
      memoryView.show(status);
    };
    const session = new Session({
      launch: (serverListener, start) => new ServerLife(environment, serverListener, start),
      ownModels: () => [settings.current.modelPath, settings.current.chatModelPath].filter((path) => path !== ''),
      log,
      listener: {
        onStatus: show,
        onChatPieces: (pieces) => chat.receive(pieces),
        onMemorySample: (sample) => memoryView.add(sample),
        onNextEdit: (announcement) => suggestions.nextEdits.announce(announcement),
      },
    });
    this.#session = session;
    const memoryView = new MemoryView(context.extensionUri, session, {
      freeCaches: () => freeCaches(session),
      unload: () => unloadModel(session),
      load: () => loadModel(session),
    });
    const reports = new Reports({
      request: (method, parameters) => session.request(method, parameters),
      obstacle: () => {
        const editor = window.activeTextEditor;
        return statusBar.obstacle ?? (editor === undefined ? null : suggestions.describeWait(editor));
      },
    });
    show(session.status);
    chat.restoreEdits();
    this.#models = createModels(context, settings, session, log);

    const startWhereWanted = () => {
      if (settings.current.enabled) session.start();
    };
    // Not within `activate`: loading the language client and starting the process must not delay activation.
    const firstStart = setImmediate(() => {
      startWhereWanted();
      this.#models.resumeDownloads();
      welcomeOnce(context.globalState, context.extension.id, log).catch((error: unknown) => {
        log.warn(`The walkthrough was not opened: ${describeError(error)}`);
      });
    });
    const { snooze } = suggestions;
    const showTrigger = () => statusBar.showTrigger(suggestions.isAutomatic);
    showTrigger();
    context.subscriptions.push(
      statusBar,
      suggestions,
      memoryView,
      reports.register(),
      remote,
      followActiveLanguage(
        () => settings.current,
        (listener) => settings.onDidChange(listener),
        (edited) => statusBar.showLanguage(edited),
      ),
      suggestions.onDidChangeSettings(showTrigger),
      snooze.onDidChange(() => statusBar.showSnooze(snooze.active ? snooze.until : null)),
      reportEditing((method, parameters) => session.notify(method, parameters)),
      chat,
      settings.onDidChange(startWhereWanted),
      settings.onDidChange(() => statusBar.showMemory(readStatusMemory(settings.configuration))),
      registerCommands(
        commandHandlers({
          extensionId: context.extension.id,
          ...{ settings, session, models: this.#models, snooze, statusBar, memoryView, remote, reports, log },
        }),
        runOrTell((sentence, thrown) => {
          log.error(`A command failed: ${describeError(thrown)}`);
          void notify('error', `Inkling: ${sentence}`);
        }),
      ),
      { dispose: () => clearImmediate(firstStart) },
    );
  }

  api(activationMs: number): InklingApi {
    return {
      activationMs,
      status: () => this.#session.status,
      serverPid: () => this.#session.serverPid,
      lastAccepted: () => this.#suggestions.lastAccepted,
    };
  }

  async dispose(): Promise<void> {
    // Before the server ends, and with it the running answer.
    const stored = this.#chat.close();
    await Promise.all([stored, this.#models.dispose(), this.#session.dispose()]);
    // Last, and not a subscription: VS Code disposes of those while the server still logs its end.
    this.log.dispose();
  }

  /** The user asked for a suggestion and got none: shows one line in the status bar, never a dialog. */
  async #explainNoSuggestion(): Promise<void> {
    showNotice(sentenceForAsked(await this.#session.request<Decision[]>(DECISIONS_REQUEST)));
  }
}
