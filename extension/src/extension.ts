import { Disposable, type ExtensionContext, type LogOutputChannel, workspace } from 'vscode';
import {
  ACCEPTANCE_NOTIFICATION,
  type Acceptance as AcceptanceEvent,
  DECISIONS_REQUEST,
  type Decision,
  type InklingStatus,
  languageEnabled,
  NEXT_EDIT_OUTCOME_NOTIFICATION,
  t,
} from '../../server/protocol/index.js';
import { followActiveLanguage } from './active-language.js';
import type { InklingApi } from './api.js';
import { Chat } from './chat/chat.js';
import { registerCommands } from './commands.js';
import { ContextKeys } from './context-keys.js';
import { reportEditing } from './editing-events.js';
import { Acceptance, type AcceptEvent, createInlineCompletionMiddleware } from './inline-completion.js';
import { createLog } from './log.js';
import { freeCaches, loadModel, unloadModel } from './memory/memory-actions.js';
import { MemoryView } from './memory/memory-view.js';
import { lastDownloadRate, Models } from './models/models.js';
import { NextEdits } from './next-edit/next-edits.js';
import { showNotice } from './notify.js';
import { RemoteAccess } from './remote/remote-access.js';
import { Reports } from './reports.js';
import { type ServerEnvironment, ServerLife } from './server-life.js';
import { Session } from './session.js';
import {
  CONFIGURATION_SECTION,
  readRepositoryUrl,
  readSettings,
  readStatusMemory,
  snoozedSettings,
  toggleEnabled,
  writeChatModelPath,
  writeContextLength,
  writeModelPath,
  writeRemoteUrl,
  writeStarterOnly,
  writtenSettings,
} from './settings.js';
import { Snooze } from './snooze.js';
import { StatusBar } from './status-bar.js';
import { openExample, openWalkthrough, welcomeOnce } from './welcome.js';

/** The composition root: constructs and connects everything that lives as long as the extension. */
export class InklingExtension {
  readonly log: LogOutputChannel = createLog();
  readonly #session: Session;
  readonly #models: Models;
  #accepted: AcceptEvent | null = null;

  constructor(context: ExtensionContext) {
    const configuration = () => workspace.getConfiguration(CONFIGURATION_SECTION);
    const settings = () => readSettings(configuration());
    const onDidChangeSettings = (listener: () => void) =>
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(CONFIGURATION_SECTION)) listener();
      });
    const statusBar = new StatusBar(readStatusMemory(configuration()));
    const contextKeys = new ContextKeys();
    /** Whether an edit of the chat model waits for the user; another edit would only be in the way. */
    let editWaits = false;
    const chat = new Chat(
      context,
      (method, parameters, token) => this.#session.request(method, parameters, token),
      (isVisible) => {
        contextKeys.showEdit(isVisible);
        editWaits = isVisible;
        nextEdits.refresh();
      },
      () => lastDownloadRate(context.globalState),
      (message) => this.log.info(message),
    );
    const acceptance = new Acceptance();
    const snooze = new Snooze();
    const nextEdits = new NextEdits({
      mode: () => (snooze.active || editWaits || !settings().enabled ? 'off' : settings().nextEditMode),
      report: (outcome) => this.#session.notify(NEXT_EDIT_OUTCOME_NOTIFICATION, outcome),
      setKeys: (visible, takesTab) => contextKeys.showNextEdit(visible, takesTab),
    });
    const show = (status: InklingStatus) => {
      contextKeys.showState(status.state);
      statusBar.show(status);
      chat.show(status);
      memoryView.show(status);
    };
    const remote = new RemoteAccess({
      secrets: context.secrets,
      settings,
      onDidChangeSettings,
      writeUrl: (url) => writeRemoteUrl(configuration(), url),
      restart: () => this.#session.restart(),
      log: (message) => this.log.error(message),
    });
    const environment: ServerEnvironment = {
      serverModule: context.asAbsolutePath('dist/server.js'),
      stateDirectory: context.globalStorageUri.fsPath,
      log: this.log,
      middleware: createInlineCompletionMiddleware(
        {
          isWanted: (document) => {
            const current = settings();
            const isOn = !snooze.active && current.enabled && languageEnabled(current, document.languageId);
            return isOn && !nextEdits.holdsBack(document);
          },
          onAnswer: (...answer) => nextEdits.suggested(...answer),
          onNothing: () => void this.#explainNoSuggestion(),
        },
        this.log,
      ),
      readSettings: settings,
      writtenSettings: () => {
        const written = writtenSettings(configuration());
        return snooze.active ? snoozedSettings(written) : written;
      },
      onDidChangeSettings: (listener) => Disposable.from(onDidChangeSettings(listener), snooze.onDidChange(listener)),
      variables: () => remote.variables(),
    };
    this.#session = new Session({
      launch: (serverListener, start) => new ServerLife(environment, serverListener, start),
      ownModels: () => [settings().modelPath, settings().chatModelPath].filter((path) => path !== ''),
      log: this.log,
      listener: {
        onStatus: show,
        onChatPieces: (pieces) => chat.receive(pieces),
        onMemorySample: (sample) => memoryView.add(sample),
        onNextEdit: (announcement) => nextEdits.announce(announcement),
      },
    });
    const session = this.#session;
    const memoryView = new MemoryView(context.extensionUri, session, {
      freeCaches: () => freeCaches(session),
      unload: () => unloadModel(session),
      load: () => loadModel(session),
    });
    const reports = new Reports(session);
    show(session.status);
    this.#models = new Models({
      storageFolder: context.globalStorageUri.fsPath,
      secrets: context.secrets,
      memento: context.globalState,
      repositoryUrl: () => readRepositoryUrl(configuration()),
      modelPath: () => settings().modelPath,
      writeModelPath: (path) => writeModelPath(configuration(), path),
      writeContextLength: (tokens) => writeContextLength(configuration(), tokens),
      chatModelPath: () => settings().chatModelPath,
      writeChatModelPath: (path) => writeChatModelPath(configuration(), path),
      remoteUrl: () => settings().remoteUrl,
      clearRemoteUrl: async () => {
        if (settings().remoteUrl !== '') await writeRemoteUrl(configuration(), '');
      },
      request: (method, parameters) => {
        this.#session.start();
        return this.#session.request(method, parameters);
      },
      log: this.log,
    });

    const startWhereWanted = () => {
      if (settings().enabled) this.#session.start();
    };
    // Not within `activate`: loading the language client and starting the process must not delay activation.
    const firstStart = setImmediate(() => {
      startWhereWanted();
      this.#models.resumeDownloads();
      void welcomeOnce(context.globalState, context.extension.id, this.log);
    });
    context.subscriptions.push(
      statusBar,
      snooze,
      memoryView,
      reports.register(),
      nextEdits,
      onDidChangeSettings(() => nextEdits.refresh()),
      snooze.onDidChange(() => nextEdits.refresh()),
      remote,
      followActiveLanguage(settings, onDidChangeSettings, (edited) => statusBar.showLanguage(edited)),
      snooze.onDidChange(() => statusBar.showSnooze(snooze.active ? snooze.until : null)),
      reportEditing((method, parameters) => this.#session.notify(method, parameters)),
      acceptance,
      acceptance.onDidAccept((event) => {
        contextKeys.showAccepted();
        this.#rememberAccepted(event);
      }),
      chat,
      onDidChangeSettings(startWhereWanted),
      onDidChangeSettings(() => statusBar.showMemory(readStatusMemory(configuration()))),
      registerCommands({
        openWalkthrough: () => openWalkthrough(context.extension.id),
        openExample,
        showMenu: (origin) => statusBar.openMenu(origin),
        restart: () => this.#session.restart(),
        toggle: () => toggleEnabled(configuration()),
        showLog: () => this.log.show(true),
        pickModel: () => this.#models.pick(),
        getChatModel: () => this.#models.getChatModel(),
        useOneModel: () => writeChatModelPath(configuration(), ''),
        useStarter: async () => {
          await writeStarterOnly(configuration());
          // A running server follows the setting; one that was given up starts again.
          session.start();
        },
        snooze: () => snooze.toggle(),
        showMemory: () => {
          session.start();
          memoryView.open();
        },
        freeCaches: () => freeCaches(session),
        unload: () => unloadModel(session),
        load: () => loadModel(session),
        useRemote: () => remote.choose(),
        setRemoteKey: () => remote.askForKey(),
        explainDecisions: () => reports.explainDecisions(),
        describeStatistics: () => reports.describeStatistics(),
      }),
      { dispose: () => clearImmediate(firstStart) },
    );
  }

  api(activationMs: number): InklingApi {
    return {
      activationMs,
      status: () => this.#session.status,
      serverPid: () => this.#session.serverPid,
      lastAccepted: () => this.#accepted,
    };
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#models.dispose(), this.#session.dispose()]);
    // Last, and not a subscription: VS Code disposes of those while the server still logs its end.
    this.log.dispose();
  }

  #rememberAccepted(event: AcceptEvent): void {
    this.#accepted = event;
    this.log.debug(`Accepted: ${JSON.stringify(event)}`);
    const { kind } = event;
    const told: AcceptanceEvent = kind === 'all' ? event : { kind: 'part', uri: event.uri, text: event.text };
    this.#session.notify(ACCEPTANCE_NOTIFICATION, told);
  }

  /** The user asked for a suggestion and got none: shows one line in the status bar, never a dialog. */
  async #explainNoSuggestion(): Promise<void> {
    const decisions = await this.#session.request<Decision[]>(DECISIONS_REQUEST);
    const asked = decisions?.find(({ trigger }) => trigger === 'invoked');
    const sentence = asked?.sentence ?? t('The language server is not running.');
    showNotice(sentence);
  }
}
