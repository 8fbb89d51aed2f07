import { randomUUID } from 'node:crypto';
import { Disposable, type ExtensionContext, window } from 'vscode';
import {
  type ChatPieces,
  type InklingStatus,
  LONGEST_SHOWN_TEXT,
  MAY_SHOW_REQUEST,
  type MayShowParams,
} from '../../server/protocol/index.js';
import { ChatController } from './chat/answer/chat-controller.js';
import { ConnectedChat } from './chat/answer/chat-server.js';
import { mayAsk } from './chat/answer/tell-refusal.js';
import { ActiveAttachment } from './chat/attachments/active-attachment.js';
import { type MayShow, refreshAttachments } from './chat/attachments/attachments.js';
import { ProjectFiles } from './chat/attachments/project-files.js';
import { registerChatCommands } from './chat/chat-commands.js';
import { LanguageModelProvider } from './chat/language-model-provider.js';
import { ChatView } from './chat/panel/chat-view.js';
import { CodeBlocks } from './chat/panel/code-blocks.js';
import type { ServerRequest } from './client/server-life.js';
import { registerCommitMessages } from './commit-message/commit-messages.js';
import { InlineEdits } from './inline-edit/inline-edits.js';
import { modelsFolder } from './models/models.js';
import { describeError } from './texts/log.js';

const STORE_KEY = 'inkling.conversations';
const EDITS_KEY = 'inkling.inlineEdits';

/** What the chat needs of the extension. */
export interface ChatParts {
  readonly request: ServerRequest;
  /** Whether the user has Inkling turned on. */
  readonly isOn: () => boolean;
  /** Gets whether an edit of the model waits for the user. */
  readonly showsEdit: (visible: boolean) => void;
  /** The speed of the last download, in bytes a second; null where none is known. */
  readonly downloadRate: () => number | null;
  readonly log: (message: string) => void;
}

/** All that the chat model does: the panel, edits in the editor, commit messages, and the model for VS Code's chat. */
export class Chat {
  readonly #server: ConnectedChat;
  readonly #controller: ChatController;
  readonly #view: ChatView;
  readonly #edits: InlineEdits;
  readonly #disposables: Disposable;

  constructor({ extensionUri, globalStorageUri, workspaceState }: ExtensionContext, parts: ChatParts) {
    const { request, isOn, showsEdit, downloadRate, log } = parts;
    this.#server = new ConnectedChat(request, modelsFolder(globalStorageUri.fsPath), isOn);
    const stored = (key: string, what: string) => ({
      get: () => workspaceState.get(key),
      set: (value: unknown) =>
        workspaceState
          .update(key, value)
          .then(undefined, (error: unknown) => log(`${what} were not stored: ${describeError(error)}`)),
    });
    const codeBlocks = new CodeBlocks();
    const mayShow: MayShow = async (uri, text) =>
      text.length <= LONGEST_SHOWN_TEXT &&
      (await request<boolean>(MAY_SHOW_REQUEST, { uri, text } satisfies MayShowParams)) === true;
    const active = new ActiveAttachment(mayShow, (attachment) => controller.apply({ kind: 'followed', attachment }));
    const project = new ProjectFiles({ mayShow, onChange: () => this.#view.update(), log });
    this.#view = new ChatView(extensionUri, () => controller, codeBlocks, { active, project, downloadRate, log });
    const provider = new LanguageModelProvider(this.#server, () => controller.learnCapabilities());
    const controller = new ChatController({
      server: this.#server,
      store: stored(STORE_KEY, 'Conversations'),
      newId: randomUUID,
      project: () => project.texts,
      refresh: (attachments) => refreshAttachments(attachments, mayShow),
      listener: {
        onChange: () => this.#view.update(),
        onGrown: (turnId) => this.#view.updateTurn(turnId),
        onReplaced: (before, laterTurns) => void this.#view.offerBack(before, laterTurns),
        onModelChange: () => provider.announce(),
      },
    });
    this.#controller = controller;
    const asking = {
      server: this.#server,
      mayAsk: async () => mayAsk(await controller.learnCapabilities(), downloadRate()),
      mayShow,
      rules: () => project.texts.rules,
    };
    this.#edits = new InlineEdits({ ...asking, store: stored(EDITS_KEY, 'Inline edits'), setVisible: showsEdit });
    this.#disposables = Disposable.from(
      window.registerWebviewViewProvider(ChatView.id, this.#view),
      codeBlocks.register(),
      active,
      project,
      registerChatCommands(controller, this.#view, asking.mayAsk),
      provider.register(),
      registerCommitMessages(asking),
      this.#edits,
    );
  }

  /** Once everything is constructed that is told of edits. */
  restoreEdits(): void {
    this.#edits.restore();
  }

  show(status: InklingStatus): void {
    this.#view.show(status);
  }

  receive(pieces: ChatPieces): void {
    this.#server.receive(pieces);
  }

  /** Stores what would be lost with the window. */
  async close(): Promise<void> {
    await Promise.all([this.#controller.close(), this.#edits.close()]);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
