import { randomUUID } from 'node:crypto';
import { Disposable, type ExtensionContext, window } from 'vscode';
import type { ChatPieces, InklingStatus } from '../../../server/protocol/index.js';
import type { ServerRequest } from '../server-life.js';
import { refreshAttachments } from './attachments.js';
import { registerChatCommands } from './chat-commands.js';
import { ChatController } from './chat-controller.js';
import { ConnectedChat } from './chat-server.js';
import { ChatView } from './chat-view.js';
import { CodeBlocks } from './code-blocks.js';
import { LanguageModelProvider } from './language-model-provider.js';

const STORE_KEY = 'inkling.conversations';

/** The whole chat: its panel, its commands, and the model for VS Code's own chat. */
export class Chat {
  readonly #server: ConnectedChat;
  readonly #view: ChatView;
  readonly #disposables: Disposable;

  /** @param downloadRate of the last download in bytes a second; null where none is known */
  constructor(
    { extensionUri, workspaceState }: ExtensionContext,
    request: ServerRequest,
    downloadRate: () => number | null,
  ) {
    this.#server = new ConnectedChat(request);
    const codeBlocks = new CodeBlocks();
    this.#view = new ChatView(extensionUri, () => controller, codeBlocks, downloadRate);
    const provider = new LanguageModelProvider(this.#server, () => controller.learnCapabilities());
    const controller = new ChatController({
      server: this.#server,
      store: {
        get: () => workspaceState.get(STORE_KEY),
        set: (chat) => void workspaceState.update(STORE_KEY, chat),
      },
      newId: randomUUID,
      refresh: refreshAttachments,
      listener: {
        onChange: () => this.#view.update(),
        onGrown: (turnId) => this.#view.updateTurn(turnId),
        onModelChange: () => provider.announce(),
      },
    });
    this.#disposables = Disposable.from(
      window.registerWebviewViewProvider(ChatView.id, this.#view),
      codeBlocks.register(),
      registerChatCommands(controller, this.#view),
      provider.register(),
    );
  }

  show(status: InklingStatus): void {
    this.#view.show(status);
  }

  receive(pieces: ChatPieces): void {
    this.#server.receive(pieces);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
