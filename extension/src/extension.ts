import { type ExtensionContext, type LogOutputChannel, window, workspace } from 'vscode';
import type { InklingStatus } from '../../server/protocol/index.js';
import type { InklingApi } from './api.js';
import { ChatView } from './chat/chat-view.js';
import { registerCommands } from './commands.js';
import { Acceptance, type AcceptEvent, createInlineCompletionMiddleware } from './inline-completion.js';
import { createLog } from './log.js';
import { Session } from './session.js';
import { CONFIGURATION_SECTION, completesLanguage, readSettings, toggleEnabled } from './settings.js';
import { StatusBar } from './status-bar.js';

/** The composition root: everything that lives as long as the extension is constructed and connected here. */
export class InklingExtension {
  readonly log: LogOutputChannel = createLog();
  private readonly session: Session;
  private accepted: AcceptEvent | undefined;

  constructor(context: ExtensionContext) {
    const configuration = () => workspace.getConfiguration(CONFIGURATION_SECTION);
    const settings = () => readSettings(configuration());
    const onDidChangeSettings = (listener: () => void) =>
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(CONFIGURATION_SECTION)) listener();
      });
    const statusBar = new StatusBar();
    const chatView = new ChatView(context.extensionUri);
    const acceptance = new Acceptance();
    const show = (status: InklingStatus) => {
      statusBar.show(status);
      chatView.show(status);
    };
    this.session = new Session(
      {
        serverModule: context.asAbsolutePath('dist/server.js'),
        log: this.log,
        middleware: createInlineCompletionMiddleware(
          (languageId) => completesLanguage(settings(), languageId),
          this.log,
        ),
        readSettings: settings,
        onDidChangeSettings,
      },
      show,
    );
    show(this.session.status);

    const startWhereWanted = () => {
      if (settings().enabled) this.session.start();
    };
    // Not within `activate`: what loads the language client and spawns the process is not activation.
    const firstStart = setImmediate(startWhereWanted);
    context.subscriptions.push(
      statusBar,
      acceptance,
      acceptance.onDidAccept((event) => this.rememberAccepted(event)),
      window.registerWebviewViewProvider(ChatView.id, chatView),
      onDidChangeSettings(startWhereWanted),
      registerCommands({
        restart: () => this.session.restart(),
        toggle: () => toggleEnabled(configuration()),
        showLog: () => this.log.show(true),
      }),
      { dispose: () => clearImmediate(firstStart) },
    );
  }

  api(activationMs: number): InklingApi {
    return {
      activationMs,
      status: () => this.session.status,
      serverPid: () => this.session.serverPid,
      lastAccepted: () => this.accepted,
    };
  }

  async dispose(): Promise<void> {
    await this.session.dispose();
    // Last, and not a subscription: VS Code disposes of those while the server still reports its end.
    this.log.dispose();
  }

  private rememberAccepted(event: AcceptEvent): void {
    this.accepted = event;
    this.log.debug(`Accepted: ${JSON.stringify(event)}`);
  }
}
