import { randomBytes } from 'node:crypto';
import { commands, Uri, type WebviewView, type WebviewViewProvider, window, workspace } from 'vscode';
import { type InklingStatus, t } from '../../../../server/protocol/index.js';
import { NOT_STARTED_STATUS } from '../../client/session-status.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../../manifest/command-ids.js';
import { type RunOrTell, runOrTell } from '../../models/run-or-tell.js';
import { describeError } from '../../texts/log.js';
import { notify } from '../../texts/notify.js';
import type { ChatController } from '../answer/chat-controller.js';
import type { ActiveAttachment } from '../attachments/active-attachment.js';
import { AttachSearch } from '../attachments/attach-search.js';
import { attachable, attachableFiles } from '../attachments/attachments.js';
import type { ProjectFiles } from '../attachments/project-files.js';
import {
  type Attachment,
  type Conversation,
  currentConversation,
  findTurn,
  shownUntil,
} from '../conversation/conversation.js';
import { conversationTitle, exportMarkdown, questionInput } from '../conversation/question-text.js';
import { isEqual } from '../webview/equal.js';
import type { AttachRequest, MessageFromWebview, MessageToWebview, PanelState } from '../webview/messages.js';
import { chatHtml } from './chat-html.js';
import type { CodeBlocks } from './code-blocks.js';
import { readPageMessage } from './page-message.js';
import { chatModelKey, measuredParts, panel, sizeView, turnView } from './panel-state.js';

/** The draft is measured this long after the last key. */
const SIZE_DELAY_MS = 300;

/** What the view asks besides the conversation. */
export interface ChatViewParts {
  readonly active: ActiveAttachment;
  readonly project: ProjectFiles;
  /** The speed of the last download, in bytes a second; null where none is known. */
  readonly downloadRate: () => number | null;
  readonly log: (message: string) => void;
}

/** The side panel: shows the conversation while it is visible, and runs what the page asks for. */
export class ChatView implements WebviewViewProvider {
  static readonly id = 'inkling.chat';
  #view: WebviewView | null = null;
  #status: InklingStatus = NOT_STARTED_STATUS;
  #shownModel: string | null = null;
  /** The draft's text that the page shows; null before the first page. */
  #shownDraft: string | null = null;
  /** The state that the page shows; null for a page that shows none yet. */
  #shown: PanelState | null = null;
  #measured: readonly unknown[] = [];
  #sizeTimer: NodeJS.Timeout | null = null;
  #pageReady = false;
  /** The page takes the keyboard once it is ready. */
  #awaitsFocus = false;
  /** For the page's list of `@`. */
  readonly #search = new AttachSearch();

  readonly #extensionUri: Uri;
  readonly #controller: () => ChatController;
  readonly #codeBlocks: CodeBlocks;
  readonly #active: ActiveAttachment;
  readonly #project: ProjectFiles;
  readonly #downloadRate: () => number | null;
  /** For what the page asks: no button of it does nothing without a word. */
  readonly #orTell: RunOrTell;

  constructor(extensionUri: Uri, controller: () => ChatController, codeBlocks: CodeBlocks, parts: ChatViewParts) {
    this.#active = parts.active;
    this.#project = parts.project;
    this.#downloadRate = parts.downloadRate;
    this.#orTell = runOrTell((sentence, thrown) => {
      parts.log(describeError(thrown));
      void notify('error', `Inkling: ${sentence}`);
    });
    this.#extensionUri = extensionUri;
    this.#controller = controller;
    this.#codeBlocks = codeBlocks;
  }

  show(status: InklingStatus): void {
    this.#status = status;
    this.update();
    const model = chatModelKey(status);
    if (model !== this.#shownModel) {
      this.#shownModel = model;
      this.#controller().modelChanged();
      this.#active.refresh();
      this.#project.reload();
    }
    this.#learn();
  }

  /** Anything may have changed. Each suggestion changes the status, but seldom what the panel shows of it. */
  update(): void {
    if (!this.#isVisible) return;
    const { state } = this.#panel();
    if (!isEqual(state, this.#shown)) {
      this.#shown = state;
      this.#post({ kind: 'state', state });
    }
    this.#showDraft();
    this.#measureIfChanged();
  }

  updateTurn(turnId: string): void {
    const turn = findTurn(this.#controller().state, turnId);
    if (this.#isVisible && turn !== null) this.#post({ kind: 'turn', turn: turnView(turn) });
  }

  async focus(): Promise<void> {
    await commands.executeCommand(EDITOR_COMMANDS.showPanel);
    if (this.#pageReady) this.#post({ kind: 'focus' });
    else this.#awaitsFocus = true;
  }

  async exportConversation(): Promise<void> {
    const conversation = currentConversation(this.#controller().state);
    if (conversation.turns.length === 0) {
      void notify('information', t('This conversation is empty. There is nothing to export.'));
      return;
    }
    const content = exportMarkdown(conversation, this.#panel().state.modelName || null);
    await window.showTextDocument(await workspace.openTextDocument({ language: 'markdown', content }));
  }

  /**
   * Attaches something to the next question, or shows why it cannot.
   *
   * @returns whether anything was attached
   */
  async attach(what: AttachRequest): Promise<boolean> {
    return this.#attach(await attachable([what]));
  }

  /** Likewise, files by their addresses. */
  async attachFiles(addresses: readonly string[]): Promise<boolean> {
    return this.#attach(await attachableFiles(addresses));
  }

  #attach(attachments: readonly Attachment[]): boolean {
    for (const attachment of attachments) this.#controller().apply({ kind: 'attached', attachment });
    return attachments.length > 0;
  }

  /** Offers to bring back a conversation as it was before a question was asked or answered again. */
  async offerBack(before: Conversation, laterTurns: number): Promise<void> {
    const answer = await notify('information', describeReplaced(laterTurns), t('Undo'));
    if (answer !== null) this.#controller().bringBack(before);
  }

  resolveWebviewView(view: WebviewView): void {
    const { webview } = view;
    const script = Uri.joinPath(this.#extensionUri, 'dist', 'chat-webview.js');
    const style = Uri.joinPath(this.#extensionUri, 'media', 'chat.css');
    webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(this.#extensionUri, 'dist'), Uri.joinPath(this.#extensionUri, 'media')],
    };
    // The view disposes of its own events, and so of these listeners.
    webview.onDidReceiveMessage((posted: unknown) => {
      const message = readPageMessage(posted);
      if (message === null) return;
      void this.#orTell(
        () => this.#receive(message),
        (reason) => t('That did not work: {0}', reason),
      );
    });
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#pageGone();
      this.#active.follow(view.visible);
    });
    view.onDidDispose(() => {
      this.#view = null;
      this.#pageGone();
      this.#active.follow(false);
    });
    this.#view = view;
    this.#active.follow(view.visible);
    webview.html = chatHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(script).toString(),
      styleUri: webview.asWebviewUri(style).toString(),
    });
  }

  /** The page knows what the user types, and learns what became of it otherwise. */
  #showDraft(): void {
    const { text } = this.#controller().state.draft;
    if (this.#shownDraft === null || this.#shownDraft === text) return;
    this.#shownDraft = text;
    this.#post({ kind: 'fill', text });
  }

  #pageGone(): void {
    this.#pageReady = false;
    this.#search.close();
  }

  async #receive(message: MessageFromWebview): Promise<void> {
    const controller = this.#controller();
    switch (message.kind) {
      case 'ready':
        this.#pageReady = true;
        // The first page may still have a text from before the window was reloaded.
        if (this.#shownDraft === null) controller.apply({ kind: 'drafted', text: message.draft });
        this.#shownDraft = message.draft;
        this.#shown = null;
        this.#measured = [];
        this.#project.reload();
        this.update();
        this.#learn();
        if (this.#awaitsFocus) this.#post({ kind: 'focus' });
        this.#awaitsFocus = false;
        break;
      case 'action':
      case 'otherAction':
        return this.#runAction(message.kind);
      case 'chooseModel':
        await commands.executeCommand(INKLING_COMMANDS.pickModel);
        break;
      case 'ask':
        return controller.ask(message.text);
      case 'stop':
        return controller.stop();
      case 'retry':
        return controller.retry(message.turnId);
      case 'edit':
        return this.#edit(message.turnId);
      case 'cancelEdit':
        return controller.apply({ kind: 'editingCancelled' });
      case 'select':
        return controller.apply({ kind: 'selected', id: message.id });
      case 'delete':
        return this.#deleteConversation();
      case 'think':
        return controller.apply({ kind: 'thinkChanged', think: message.think });
      case 'draft':
        this.#shownDraft = message.text;
        controller.apply({ kind: 'drafted', text: message.text });
        return this.#measureIfChanged();
      case 'find': {
        const { query } = message;
        if (query === null) return this.#search.close();
        const choices = await this.#search.choices(query);
        if (choices !== null) this.#post({ kind: 'choices', query, choices });
        break;
      }
      case 'attach':
        await this.attach(message.what);
        break;
      case 'drop':
        await this.attachFiles(message.uris);
        break;
      case 'detach':
        controller.apply({ kind: 'detached', id: message.id });
        if (controller.state.automatic === null) this.#active.refuse();
        break;
      case 'code': {
        const { action, code, language, turnId } = message;
        const turn = findTurn(controller.state, turnId);
        const shown = shownUntil(controller.state, turnId);
        const obstacle = turn && (await this.#codeBlocks.run(action, code, language, shown));
        if (obstacle) void notify('information', `Inkling: ${obstacle}`);
        break;
      }
    }
  }

  async #deleteConversation(): Promise<void> {
    const conversation = this.#controller().deleteConversation();
    if (conversation === null) return;
    const name = conversationTitle(conversation);
    const answer = await notify('information', t('Conversation deleted: {0}', name), t('Undo'));
    if (answer !== null) this.#controller().apply({ kind: 'restored', conversation });
  }

  #edit(turnId: string): void {
    const { state } = this.#controller();
    const turn = findTurn(state, turnId);
    if (turn === null) return;
    this.#controller().apply({ kind: 'editing', turnId, text: questionInput(turn.question) });
    this.#post({ kind: 'focus' });
  }

  /** The page sends no command id: the extension decides again what its buttons do. */
  async #runAction(button: 'action' | 'otherAction'): Promise<void> {
    const action = this.#panel()[button];
    if (action !== null) await commands.executeCommand(action.command, action.argument);
  }

  #panel() {
    const controller = this.#controller();
    const { capabilities, state, isRunning } = controller;
    const around = { project: this.#project.texts, bytesPerSecond: this.#downloadRate() };
    return panel(this.#status, capabilities, state, isRunning, around);
  }

  /** A closed panel needs to know nothing of the model. */
  #learn(): void {
    if (this.#isVisible && this.#shownModel !== null) void this.#controller().learnCapabilities();
  }

  /** The server renders and tokenizes the whole conversation for it. */
  #measureIfChanged(): void {
    const { state, capabilities, isRunning } = this.#controller();
    const measured = measuredParts(this.#status, capabilities, state, this.#project.texts, isRunning);
    if (isEqual(measured, this.#measured)) return;
    this.#measured = measured;
    if (this.#sizeTimer !== null) clearTimeout(this.#sizeTimer);
    this.#sizeTimer = setTimeout(() => void this.#measure(), SIZE_DELAY_MS);
  }

  async #measure(): Promise<void> {
    if (!this.#isVisible || this.#controller().isRunning) return;
    // A size measured for another model is wrong, so nothing is shown while nothing can be asked.
    const measured = this.#measured;
    const size = this.#panel().state.canAsk ? await this.#controller().size() : null;
    // Otherwise a later one is on its way.
    if (measured === this.#measured) this.#post({ kind: 'size', size: sizeView(size) });
  }

  get #isVisible(): boolean {
    return this.#view?.visible === true;
  }

  #post(message: MessageToWebview): void {
    void this.#view?.webview.postMessage(message);
  }
}

function describeReplaced(laterTurns: number): string {
  if (laterTurns === 0) return t('The answer was replaced.');
  return laterTurns === 1 ? t('1 later question was removed.') : t('{0} later questions were removed.', laterTurns);
}
