import { randomBytes } from 'node:crypto';
import { commands, Uri, type WebviewView, type WebviewViewProvider } from 'vscode';
import type { InklingStatus } from '../../../server/protocol/index.js';
import { NOT_STARTED_STATUS } from '../session-status.js';
import { chatHtml } from './chat-html.js';
import { panel } from './panel-state.js';
import type { MessageFromWebview, MessageToWebview } from './webview/messages.js';

/** The side panel: shows the present status while it is visible. */
export class ChatView implements WebviewViewProvider {
  static readonly id = 'inkling.chat';
  private view: WebviewView | undefined;
  private status: InklingStatus = NOT_STARTED_STATUS;

  constructor(private readonly extensionUri: Uri) {}

  show(status: InklingStatus): void {
    this.status = status;
    this.update();
  }

  resolveWebviewView(view: WebviewView): void {
    const { webview } = view;
    const script = Uri.joinPath(this.extensionUri, 'dist', 'chat-webview.js');
    const style = Uri.joinPath(this.extensionUri, 'media', 'chat.css');
    webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(this.extensionUri, 'dist'), Uri.joinPath(this.extensionUri, 'media')],
    };
    // These end with the view, which disposes of its own events.
    webview.onDidReceiveMessage((message: MessageFromWebview) => this.receive(message));
    view.onDidChangeVisibility(() => this.update());
    view.onDidDispose(() => {
      this.view = undefined;
    });
    this.view = view;
    webview.html = chatHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(script).toString(),
      styleUri: webview.asWebviewUri(style).toString(),
    });
  }

  private receive(message: MessageFromWebview): void {
    switch (message.kind) {
      case 'ready':
        this.update();
        break;
      case 'action':
        this.runAction();
        break;
    }
  }

  /** The page names no command: the extension decides again what its one button does. */
  private runAction(): void {
    const { action } = panel(this.status);
    if (action !== null) void commands.executeCommand(action.command);
  }

  private update(): void {
    if (this.view?.visible !== true) return;
    const message: MessageToWebview = { kind: 'state', state: panel(this.status).state };
    void this.view.webview.postMessage(message);
  }
}
