import { type ChatCapabilities, type ChatOutcome, type ChatSize, t } from '../../../server/protocol/index.js';
import type { ChatServer } from './chat-server.js';
import {
  type Answer,
  type Attachment,
  type ChatEvent,
  type ChatState,
  currentConversation,
  findTurn,
  reduceChat,
} from './conversation.js';
import { conversationMessages, parseQuestion } from './question-text.js';
import { restoreChat, type StoredChat, storeChat } from './stored-chat.js';

/** The part of VS Code's `Memento` that conversations are kept in. */
export interface ConversationStore {
  get(): unknown;
  set(chat: StoredChat): void;
}

export interface ChatListener {
  /** Anything may have changed. */
  onChange(): void;
  /** Only this turn's answer grew. */
  onGrown(turnId: string): void;
  /** What the loaded model can has been asked again. */
  onCapabilities(): void;
}

export interface ChatCollaborators {
  readonly server: ChatServer;
  readonly store: ConversationStore;
  readonly newId: () => string;
  /** Attachments as their documents are now. */
  readonly refresh: (attachments: readonly Attachment[]) => Promise<readonly Attachment[]>;
  readonly listener: ChatListener;
}

/** The conversations of a workspace and the one answer that is under way. */
export class ChatController {
  #current: ChatState;
  #running: { readonly turnId: string; readonly abort: AbortController } | null = null;
  #known: ChatCapabilities | null = null;
  /** How often it was asked: an answer that a later question has overtaken is of another model. */
  #capabilityQuestions = 0;

  readonly #parts: ChatCollaborators;

  constructor(parts: ChatCollaborators) {
    this.#parts = parts;
    this.#current = restoreChat(parts.store.get(), parts.newId());
  }

  get state(): ChatState {
    return this.#current;
  }

  /** Null before the server was asked, and where it does not answer. */
  get capabilities(): ChatCapabilities | null {
    return this.#known;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Asks again what the loaded model can. */
  async refreshCapabilities(): Promise<void> {
    this.#capabilityQuestions += 1;
    const question = this.#capabilityQuestions;
    const capabilities = await this.#parts.server.capabilities();
    if (question !== this.#capabilityQuestions) return;
    this.#known = capabilities;
    this.#parts.listener.onCapabilities();
    this.#parts.listener.onChange();
  }

  apply(event: ChatEvent): void {
    this.#current = reduceChat(this.#current, event);
    this.#parts.listener.onChange();
    if (event.kind !== 'said') this.#parts.store.set(storeChat(this.#current));
  }

  newConversation(): void {
    this.apply({ kind: 'created', id: this.#parts.newId() });
  }

  deleteConversation(): void {
    if (currentConversation(this.#current).turns.some(({ id }) => id === this.#running?.turnId)) this.stop();
    this.apply({ kind: 'deleted', id: this.#current.currentId, nextId: this.#parts.newId() });
  }

  /** Asks what was written, with what is attached. Resolves when the answer has ended. */
  async ask(input: string): Promise<void> {
    const parsed = parseQuestion(input);
    const { attachments } = this.#current;
    if (parsed.text === '' && parsed.command === null) return;
    // Before the first await, so that a second press of the key finds it taken.
    this.stop();
    const turnId = this.#parts.newId();
    this.apply({ kind: 'asked', turnId, question: { ...parsed, attachments } });
    await this.#answer(turnId);
  }

  async retry(turnId: string): Promise<void> {
    this.stop();
    const newTurnId = this.#parts.newId();
    this.apply({ kind: 'retried', turnId, newTurnId });
    await this.#answer(newTurnId);
  }

  stop(): void {
    this.#running?.abort.abort();
  }

  /** What the conversation takes with this draft; null where nobody can say. */
  async size(draft: string): Promise<ChatSize | { readonly tooLong: string } | null> {
    const { attachments, editing, think } = this.#current;
    const { turns } = currentConversation(this.#current);
    const at = turns.findIndex(({ id }) => id === editing);
    const question = { ...parseQuestion(draft), attachments };
    // Something has to be asked to be measured.
    const asked = question.text === '' && question.command === null ? { ...question, text: '?' } : question;
    const messages = conversationMessages(at < 0 ? turns : turns.slice(0, at), asked);
    const outcome = await this.#parts.server.size({ messages, think });
    if (outcome?.kind === 'size') return outcome.size;
    return outcome?.refusal.reason === 'questionTooLong' ? { tooLong: outcome.refusal.message } : null;
  }

  async #answer(turnId: string): Promise<void> {
    const conversation = this.#current.conversations.find((each) => each.turns.some(({ id }) => id === turnId));
    const turns = conversation?.turns ?? [];
    const turn = turns.find(({ id }) => id === turnId);
    if (turn === undefined) return;
    const abort = new AbortController();
    this.#running = { turnId, abort };
    this.#parts.listener.onChange();
    const attachments = await this.#parts.refresh(turn.question.attachments);
    const outcome = await this.#parts.server.ask(
      {
        messages: conversationMessages(turns.slice(0, turns.indexOf(turn)), { ...turn.question, attachments }),
        think: this.#current.think,
      },
      (pieces) => {
        const join = (kind: 'thinking' | 'answer') =>
          pieces.map((piece) => (piece.kind === kind ? piece.text : '')).join('');
        this.#current = reduceChat(this.#current, {
          kind: 'said',
          turnId,
          thinking: join('thinking'),
          text: join('answer'),
        });
        this.#parts.listener.onGrown(turnId);
      },
      abort.signal,
    );
    if (this.#running?.turnId === turnId) this.#running = null;
    const partial = findTurn(this.#current, turnId)?.answer ?? null;
    this.apply({ kind: 'ended', turnId, answer: describeOutcome(outcome, partial, abort.signal.aborted) });
  }
}

function describeOutcome(outcome: ChatOutcome | null, partial: Answer | null, stopped: boolean): Answer {
  const { text = '', thinking = '' } = partial ?? {};
  if (outcome?.kind === 'answered') {
    const { answer } = outcome;
    const { ending, droppedTurns, forgottenTokens } = answer;
    return { state: ending, text: answer.text, thinking: answer.thinking, error: null, droppedTurns, forgottenTokens };
  }
  if (stopped) return { state: 'stopped', text, thinking, error: null, droppedTurns: 0, forgottenTokens: 0 };
  const error = outcome?.refusal.message ?? t('The language server did not answer; the status bar says why.');
  return { state: 'failed', text, thinking, error, droppedTurns: 0, forgottenTokens: 0 };
}
