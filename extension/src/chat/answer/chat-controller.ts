import {
  type ChatCapabilities,
  type ChatOutcome,
  type ChatPiece,
  type ChatSize,
  type ChatSizeOutcome,
  t,
} from '../../../../server/protocol/index.js';
import { rulesPrompt } from '../attachments/project-prompts.js';
import {
  type Answer,
  type Attachment,
  attachmentsToSend,
  type ChatEvent,
  type ChatState,
  type Conversation,
  currentConversation,
  findTurn,
  reduceChat,
  type SlashCommand,
  type Turn,
} from '../conversation/conversation.js';
import type { ProjectTexts } from '../conversation/project-texts.js';
import { conversationMessages, isAsked, parseQuestion } from '../conversation/question-text.js';
import { restoreChat, type StoredChat, storeChat } from '../conversation/stored-chat.js';
import { isEqual } from '../webview/equal.js';
import type { ChatServer } from './chat-server.js';

/** A growing answer is stored this often. VS Code writes all of a workspace's state each time. */
const STORE_EVERY_MS = 3_000;

/** While the model's context is not known; in characters. */
const SHORTEST_RULES = 2_000;

/** The part of VS Code's `Memento` that stores conversations. */
export interface ConversationStore {
  get(): unknown;
  /** Never rejects: nobody waits for it, and the end of the window must not fail with it. */
  set(chat: StoredChat): PromiseLike<void>;
}

export interface ChatListener {
  /** Anything may have changed. */
  onChange(): void;
  /** Only this turn's answer grew. */
  onGrown(turnId: string): void;
  /**
   * A question was asked or answered again: its answer went away, and so many later turns. `before` still has them.
   */
  onReplaced(before: Conversation, laterTurns: number): void;
  /** The capabilities may have changed. */
  onModelChange(): void;
}

export interface ChatCollaborators {
  readonly server: ChatServer;
  readonly store: ConversationStore;
  readonly newId: () => string;
  /** Reads attachments again from their documents. */
  readonly refresh: (attachments: readonly Attachment[]) => Promise<readonly Attachment[]>;
  /** What the project tells its model now. */
  readonly project: () => ProjectTexts;
  readonly listener: ChatListener;
}

/** A workspace's conversations, and the one answer that is running. */
export class ChatController {
  #current: ChatState;
  #running: { readonly turnId: string; readonly abort: AbortController } | null = null;
  /** Runs while the answer has more than what is stored. */
  #storeTimer: NodeJS.Timeout | null = null;
  #known: ChatCapabilities | null = null;
  /** The model changed since its capabilities were asked for. */
  #isStale = true;
  /** The question about the capabilities of this model that has no answer yet. */
  #learning: Promise<ChatCapabilities | null> | null = null;
  /** Counts the changes of the model, to ignore an answer about an earlier one. */
  #modelChanges = 0;

  readonly #parts: ChatCollaborators;

  constructor(parts: ChatCollaborators) {
    this.#parts = parts;
    this.#current = restoreChat(parts.store.get(), parts.newId());
  }

  get state(): ChatState {
    return this.#current;
  }

  /** Null before the server answers. */
  get capabilities(): ChatCapabilities | null {
    return this.#known;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Another model answers from now on. Its capabilities are asked for when they are needed. */
  modelChanged(): void {
    this.#modelChanges += 1;
    this.#isStale = true;
    this.#learning = null;
    this.#parts.listener.onModelChange();
  }

  /** The capabilities of the model that answers, asked for if they are not known; null if no server answers. */
  async learnCapabilities(): Promise<ChatCapabilities | null> {
    if (!this.#isStale) return this.#known;
    this.#learning ??= this.#askCapabilities();
    return await this.#learning;
  }

  async #askCapabilities(): Promise<ChatCapabilities | null> {
    const change = this.#modelChanges;
    const isCurrent = () => change === this.#modelChanges;
    try {
      const capabilities = await this.#parts.server.capabilities();
      if (!isCurrent()) return await this.learnCapabilities();
      this.#known = capabilities;
      this.#isStale = capabilities === null;
      this.#parts.listener.onChange();
      return capabilities;
    } finally {
      if (isCurrent()) this.#learning = null;
    }
  }

  apply(event: ChatEvent): void {
    const { automatic, conversations, think } = this.#current;
    this.#current = reduceChat(this.#current, event);
    // The panel says what is typed, and nothing else depends on it.
    if (event.kind === 'drafted') return;
    // The panel shows the place alone, and each pause of a user who types brings another text of it.
    if (event.kind === 'followed' && event.attachment !== null && event.attachment.id === automatic?.id) return;
    this.#parts.listener.onChange();
    if (this.#current.conversations !== conversations || this.#current.think !== think) void this.#store();
  }

  /** The window closes. The running answer is kept as far as it has come. */
  async close(): Promise<void> {
    this.stop();
    if (this.#storeTimer !== null) await this.#store();
  }

  newConversation(): void {
    this.apply({ kind: 'created', id: this.#parts.newId() });
  }

  /** @returns what was deleted, for a user who wants it back; null if it was empty */
  deleteConversation(): Conversation | null {
    const deleted = currentConversation(this.#current);
    if (deleted.turns.some(({ id }) => id === this.#running?.turnId)) this.stop();
    this.apply({ kind: 'deleted', id: deleted.id, nextId: this.#parts.newId() });
    return deleted.turns.length === 0 ? null : deleted;
  }

  /**
   * Brings back what a conversation was, beside what became of it. Both may share turns, and only one turn may have an
   * id.
   */
  bringBack({ turns }: Conversation): void {
    const { newId } = this.#parts;
    const conversation = { id: newId(), turns: turns.map((turn) => ({ ...turn, id: newId() })) };
    this.apply({ kind: 'restored', conversation });
  }

  /** Asks the input's text with the attachments. Resolves when the answer has ended. */
  async ask(input: string): Promise<void> {
    const parsed = parseQuestion(input, this.#parts.project().prompts);
    const attachments = attachmentsToSend(this.#current);
    if (!isAsked(parsed)) return;
    // Set before the first await, so that a second key press has no effect.
    this.stop();
    const turnId = this.#parts.newId();
    const question = { ...parsed, attachments };
    this.#replace(this.#current.editing?.turnId ?? null, { kind: 'asked', turnId, question, isDraft: true });
    await this.#answer(turnId);
  }

  /** Asks a command of the editor about what it attaches, as a new question. The user's draft stays as it is. */
  async askCommand(command: SlashCommand, attachments: readonly Attachment[]): Promise<void> {
    this.stop();
    const turnId = this.#parts.newId();
    const question = { text: '', command, attachments };
    this.apply({ kind: 'asked', turnId, question, isDraft: false });
    await this.#answer(turnId);
  }

  async retry(turnId: string): Promise<void> {
    this.stop();
    const newTurnId = this.#parts.newId();
    this.#replace(turnId, { kind: 'retried', turnId, newTurnId });
    await this.#answer(newTurnId);
  }

  stop(): void {
    this.#running?.abort.abort();
  }

  /** The size of the conversation with the draft; null if the server does not answer. */
  async size(): Promise<ChatSize | { readonly tooLong: string } | null> {
    const { editing, think, draft } = this.#current;
    const attachments = attachmentsToSend(this.#current);
    const { turns } = currentConversation(this.#current);
    const at = turns.findIndex(({ id }) => id === editing?.turnId);
    const question = { ...parseQuestion(draft.text, this.#parts.project().prompts), attachments };
    // Measuring needs a question that is not empty.
    const asked = isAsked(question) ? question : { ...question, text: '?' };
    const outcome = await this.#fitting(attachments, (fitting) => {
      const before = at < 0 ? turns : turns.slice(0, at);
      const messages = conversationMessages(before, { ...asked, attachments: fitting }, this.#rules());
      return this.#parts.server.size({ messages, think });
    });
    if (outcome?.kind === 'size') return outcome.size;
    return outcome?.refusal.reason === 'questionTooLong' ? { tooLong: outcome.refusal.message } : null;
  }

  /** @param turnId of the turn that goes away with all later ones; null for none */
  #replace(turnId: string | null, event: Extract<ChatEvent, { readonly kind: 'asked' | 'retried' }>): void {
    const before = currentConversation(this.#current);
    const at = before.turns.findIndex(({ id }) => id === turnId);
    this.apply(event);
    if (at < 0) return;
    const laterTurns = before.turns.length - at - 1;
    // Nobody misses an answer that never began.
    if (laterTurns > 0 || before.turns[at]?.answer.text !== '') this.#parts.listener.onReplaced(before, laterTurns);
  }

  /** The rules take at most about a quarter of what a conversation may: four characters are about a token. */
  #rules(): string | null {
    const { rules } = this.#parts.project();
    const longest = this.#known?.kind === 'canChat' ? this.#known.promptBudget : SHORTEST_RULES;
    return rules === null ? null : rulesPrompt(rules, longest);
  }

  /** Leaves out what the user did not attach where the question does not fit with it. */
  async #fitting<T extends ChatOutcome | ChatSizeOutcome>(
    attachments: readonly Attachment[],
    send: (fitting: readonly Attachment[]) => Promise<T | null>,
  ): Promise<T | null> {
    const outcome = await send(attachments);
    const chosen = attachments.filter(({ isAutomatic = false }) => !isAutomatic);
    const isTooLong = outcome?.kind === 'refused' && outcome.refusal.reason === 'questionTooLong';
    return isTooLong && chosen.length < attachments.length ? send(chosen) : outcome;
  }

  async #answer(turnId: string): Promise<void> {
    const conversation = this.#current.conversations.find((each) => each.turns.some(({ id }) => id === turnId));
    const turns = conversation?.turns ?? [];
    const turn = turns.find(({ id }) => id === turnId);
    if (turn === undefined) return;
    const abort = new AbortController();
    this.#running = { turnId, abort };
    this.#parts.listener.onChange();
    let ended: ChatOutcome | null | Error;
    try {
      ended = await this.#outcome(turns.slice(0, turns.indexOf(turn)), turn, abort.signal);
    } catch (error) {
      // Nobody waits for this promise, and an answer must not run for ever.
      ended = error instanceof Error ? error : new Error(String(error));
    }
    if (this.#running?.turnId === turnId) this.#running = null;
    const partial = findTurn(this.#current, turnId)?.answer ?? null;
    this.apply({ kind: 'ended', turnId, answer: describeOutcome(ended, partial, abort.signal.aborted) });
  }

  async #outcome(
    before: readonly Turn[],
    { id: turnId, question }: Turn,
    signal: AbortSignal,
  ): Promise<ChatOutcome | null> {
    const refreshed = await this.#parts.refresh(question.attachments);
    return this.#fitting(refreshed, (attachments) => {
      const messages = conversationMessages(before, { ...question, attachments }, this.#rules());
      // The question shows what the model gets, also to the next questions.
      if (!isEqual(attachments, question.attachments)) this.apply({ kind: 'shown', turnId, attachments });
      const asked = { messages, think: this.#current.think };
      return this.#parts.server.ask(asked, (pieces) => this.#grow(turnId, pieces), signal);
    });
  }

  #grow(turnId: string, pieces: readonly ChatPiece[]): void {
    const join = (kind: 'thinking' | 'answer') =>
      pieces.map((piece) => (piece.kind === kind ? piece.text : '')).join('');
    const said = { kind: 'said', turnId, thinking: join('thinking'), text: join('answer') } as const;
    this.#current = reduceChat(this.#current, said);
    this.#storeTimer ??= setTimeout(() => void this.#store(), STORE_EVERY_MS);
    this.#parts.listener.onGrown(turnId);
  }

  async #store(): Promise<void> {
    if (this.#storeTimer !== null) clearTimeout(this.#storeTimer);
    this.#storeTimer = null;
    await this.#parts.store.set(storeChat(this.#current));
  }
}

function describeOutcome(outcome: ChatOutcome | null | Error, partial: Answer | null, stopped: boolean): Answer {
  const { text = '', thinking = '' } = partial ?? {};
  if (!(outcome instanceof Error) && outcome?.kind === 'answered') {
    const { answer } = outcome;
    const { ending, droppedTurns, forgottenTokens } = answer;
    return { state: ending, text: answer.text, thinking: answer.thinking, error: null, droppedTurns, forgottenTokens };
  }
  if (stopped) return { state: 'stopped', text, thinking, error: null, droppedTurns: 0, forgottenTokens: 0 };
  return { state: 'failed', text, thinking, error: reasonOf(outcome), droppedTurns: 0, forgottenTokens: 0 };
}

function reasonOf(outcome: Extract<ChatOutcome, { readonly kind: 'refused' }> | null | Error): string {
  if (outcome instanceof Error) return t('The question could not be asked: {0}', outcome.message);
  return outcome?.refusal.message ?? t('The language server did not answer. Try again.');
}
