/** The state of conversations and every event that changes it. Pure, so that tests cover each step. */

export type SlashCommand = 'explain' | 'fix' | 'tests' | 'doc';

export type AttachmentKind = 'selection' | 'file' | 'diagnostics' | 'terminal';

/** Something from the project that a question shows to the model. */
export interface Attachment {
  readonly id: string;
  readonly kind: AttachmentKind;
  /** Such as `cart.ts:10-24`. */
  readonly label: string;
  /** Address of its document; null for a terminal's text. */
  readonly uri: string | null;
  readonly languageId: string;
  /** Empty where a conversation was too large to be stored with it. */
  readonly text: string;
  /** Follows the active editor; the user did not attach it. */
  readonly isAutomatic?: boolean;
}

export interface Question {
  /** The user's text without the slash command. */
  readonly text: string;
  readonly command: SlashCommand | null;
  /** The prompt of the project that the question began with. */
  readonly own?: { readonly name: string; readonly text: string };
  readonly attachments: readonly Attachment[];
}

export type AnswerState = 'running' | 'complete' | 'stopped' | 'cutOff' | 'failed';

export interface Answer {
  readonly state: AnswerState;
  readonly text: string;
  readonly thinking: string;
  /** The failure's reason; null without a failure. */
  readonly error: string | null;
  /** Older questions that the model did not get. */
  readonly droppedTurns: number;
  /** What the model forgot while it answered, in tokens. */
  readonly forgottenTokens: number;
}

export interface Turn {
  readonly id: string;
  readonly question: Question;
  readonly answer: Answer;
}

export interface Conversation {
  readonly id: string;
  readonly turns: readonly Turn[];
}

/** What the next question is so far. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface ChatState {
  /** Last used first; never empty. */
  readonly conversations: readonly Conversation[];
  readonly currentId: string;
  readonly draft: Draft;
  /** What the user works on, which the next question shows too; null for nothing that may be shown. */
  readonly automatic: Attachment | null;
  /** The turn whose question is being edited, and the draft that waits meanwhile; null for a new question. */
  readonly editing: { readonly turnId: string; readonly setAside: Draft } | null;
  readonly think: boolean;
}

export type ChatEvent =
  | { readonly kind: 'created'; readonly id: string }
  | { readonly kind: 'selected'; readonly id: string }
  /** @param nextId of the new conversation if none is left */
  | { readonly kind: 'deleted'; readonly id: string; readonly nextId: string }
  /** The user takes back a deletion. */
  | { readonly kind: 'restored'; readonly conversation: Conversation }
  /** The user has typed. */
  | { readonly kind: 'drafted'; readonly text: string }
  | { readonly kind: 'attached'; readonly attachment: Attachment }
  | { readonly kind: 'detached'; readonly id: string }
  /** The user works on something else, or on nothing that may be shown. */
  | { readonly kind: 'followed'; readonly attachment: Attachment | null }
  /** @param text of the question, as the user types it */
  | { readonly kind: 'editing'; readonly turnId: string; readonly text: string }
  | { readonly kind: 'editingCancelled' }
  | { readonly kind: 'thinkChanged'; readonly think: boolean }
  /**
   * Asked in the current conversation.
   *
   * @param isDraft replaces the turn being edited and all turns after it. What is no draft follows all turns, and leaves
   *   the draft as it is.
   */
  | { readonly kind: 'asked'; readonly turnId: string; readonly question: Question; readonly isDraft: boolean }
  /** The model gets these attachments of a question: perhaps fewer, or with the texts that they have now. */
  | { readonly kind: 'shown'; readonly turnId: string; readonly attachments: readonly Attachment[] }
  | { readonly kind: 'retried'; readonly turnId: string; readonly newTurnId: string }
  | { readonly kind: 'said'; readonly turnId: string; readonly thinking: string; readonly text: string }
  | { readonly kind: 'ended'; readonly turnId: string; readonly answer: Answer };

export const MOST_CONVERSATIONS = 50;

const EMPTY_DRAFT: Draft = { text: '', attachments: [] };

const RUNNING: Answer = {
  state: 'running',
  text: '',
  thinking: '',
  error: null,
  droppedTurns: 0,
  forgottenTokens: 0,
};

export function emptyChat(id: string): ChatState {
  return {
    conversations: [{ id, turns: [] }],
    currentId: id,
    draft: EMPTY_DRAFT,
    automatic: null,
    editing: null,
    think: true,
  };
}

export function currentConversation({
  conversations,
  currentId,
}: Pick<ChatState, 'conversations' | 'currentId'>): Conversation {
  return conversations.find(({ id }) => id === currentId) ?? { id: currentId, turns: [] };
}

export function findTurn({ conversations }: ChatState, turnId: string): Turn | null {
  return conversations.flatMap(({ turns }) => turns).find(({ id }) => id === turnId) ?? null;
}

/** What a turn's question and those before it showed; the last question's first. */
export function shownUntil({ conversations }: ChatState, turnId: string): readonly Attachment[] {
  const turns = conversations.find((each) => each.turns.some(({ id }) => id === turnId))?.turns ?? [];
  const until = turns.slice(0, turns.findIndex(({ id }) => id === turnId) + 1);
  return until.reverse().flatMap(({ question }) => question.attachments);
}

/** What the next question shows: what the user attached, and what the user works on if it is not among that. */
export function nextAttachments({ draft: { attachments }, automatic }: ChatState): readonly Attachment[] {
  if (automatic === null) return attachments;
  const isThere = attachments.some(
    ({ kind, label, uri }) => uri === automatic.uri && (kind === 'file' || label === automatic.label),
  );
  return isThere ? attachments : [...attachments, automatic];
}

/** Whether the model gets a turn with the later questions: one without an answer says nothing. */
export function isTold({ answer }: Turn): boolean {
  return answer.text !== '';
}

/**
 * Like `nextAttachments`, without what the user works on if the conversation shows it already, unchanged. A question that
 * the model does not get, or no longer, shows nothing.
 */
export function attachmentsToSend(state: ChatState): readonly Attachment[] {
  const { turns } = currentConversation(state);
  const until = turnsBefore(turns, state.editing?.turnId ?? null);
  const dropped = until.reduce((most, { answer }) => Math.max(most, answer.droppedTurns), 0);
  const kept = until.filter(isTold).slice(dropped);
  const shown = kept.flatMap(({ question }) => question.attachments);
  return nextAttachments(state).filter(
    ({ isAutomatic = false, label, text }) =>
      !isAutomatic || !shown.some((each) => each.label === label && each.text === text),
  );
}

export function reduceChat(state: ChatState, event: ChatEvent): ChatState {
  switch (event.kind) {
    case 'created':
      return create(state, event.id);
    case 'selected':
      return state.conversations.some(({ id }) => id === event.id) ? open(state, event.id) : state;
    case 'deleted': {
      const left = state.conversations.filter(({ id }) => id !== event.id);
      const [first] = left;
      if (first === undefined) {
        const { think, automatic, draft } = withoutEditing(state);
        return { ...emptyChat(event.nextId), think, automatic, draft };
      }
      return event.id === state.currentId
        ? { ...open(state, first.id), conversations: left }
        : { ...state, conversations: left };
    }
    case 'restored': {
      const { conversation } = event;
      if (state.conversations.some(({ id }) => id === conversation.id)) return open(state, conversation.id);
      const others = state.conversations.slice(0, MOST_CONVERSATIONS - 1);
      return open({ ...state, conversations: [withStoppedAnswers(conversation), ...others] }, conversation.id);
    }
    case 'drafted':
      return { ...state, draft: { ...state.draft, text: event.text } };
    case 'attached': {
      // An attachment of the same place replaces the earlier one.
      const { label, kind } = event.attachment;
      const others = state.draft.attachments.filter((other) => other.label !== label || other.kind !== kind);
      return { ...state, draft: { ...state.draft, attachments: [...others, event.attachment] } };
    }
    case 'detached': {
      const { automatic, draft } = state;
      const gone = nextAttachments(state).find(({ id }) => id === event.id);
      const attachments = draft.attachments.filter(({ id }) => id !== event.id);
      // What the user does not want from a file does not come back by itself.
      const isSame = automatic !== null && automatic.uri === gone?.uri;
      return { ...state, draft: { ...draft, attachments }, automatic: isSame ? null : automatic };
    }
    case 'followed':
      return { ...state, automatic: event.attachment };
    case 'editing': {
      const turn = currentConversation(state).turns.find(({ id }) => id === event.turnId);
      if (turn === undefined) return state;
      const editing = { turnId: turn.id, setAside: state.editing?.setAside ?? state.draft };
      return { ...state, editing, draft: { text: event.text, attachments: turn.question.attachments } };
    }
    case 'editingCancelled':
      return withoutEditing(state);
    case 'thinkChanged':
      return { ...state, think: event.think };
    case 'asked': {
      const turn: Turn = { id: event.turnId, question: event.question, answer: RUNNING };
      if (!event.isDraft) return changeCurrent(state, (turns) => [...turns, turn]);
      const replaced = state.editing?.turnId ?? null;
      const asked = changeCurrent(state, (turns) => [...turnsBefore(turns, replaced), turn]);
      return { ...asked, editing: null, draft: state.editing?.setAside ?? EMPTY_DRAFT };
    }
    case 'retried':
      return changeCurrent(withoutEditing(state), (turns) => {
        const turn = turns.find(({ id }) => id === event.turnId);
        if (turn === undefined) return turns;
        return [...turnsBefore(turns, turn.id), { ...turn, id: event.newTurnId, answer: RUNNING }];
      });
    case 'said':
      return changeAnswer(state, event.turnId, (answer) => ({
        ...answer,
        thinking: answer.thinking + event.thinking,
        text: answer.text + event.text,
      }));
    case 'ended':
      return changeAnswer(state, event.turnId, () => event.answer);
    case 'shown':
      return changeTurn(state, event.turnId, (turn) => ({
        ...turn,
        question: { ...turn.question, attachments: event.attachments },
      }));
  }
}

/** Reuses an empty conversation before it creates another one. */
function create(state: ChatState, id: string): ChatState {
  const empty = state.conversations.find(({ turns }) => turns.length === 0);
  if (empty !== undefined) return open(state, empty.id);
  const conversations = [{ id, turns: [] }, ...state.conversations].slice(0, MOST_CONVERSATIONS);
  return open({ ...state, conversations }, id);
}

/** The draft goes along. */
function open(state: ChatState, id: string): ChatState {
  return { ...withoutEditing(state), currentId: id };
}

/** The draft that was set aside comes back. */
function withoutEditing(state: ChatState): ChatState {
  return state.editing === null ? state : { ...state, editing: null, draft: state.editing.setAside };
}

/** An answer that ran when its conversation went away has been stopped since. */
export function withStoppedAnswers({ id, turns }: Conversation): Conversation {
  const stopped = turns.map((turn): Turn => {
    const { answer } = turn;
    return answer.state === 'running' ? { ...turn, answer: { ...answer, state: 'stopped' } } : turn;
  });
  return { id, turns: stopped };
}

function turnsBefore(turns: readonly Turn[], turnId: string | null): readonly Turn[] {
  const at = turns.findIndex(({ id }) => id === turnId);
  return at < 0 ? turns : turns.slice(0, at);
}

/** Changes the turns of the current conversation and marks it as last used. */
function changeCurrent(state: ChatState, change: (turns: readonly Turn[]) => readonly Turn[]): ChatState {
  const current = currentConversation(state);
  const others = state.conversations.filter(({ id }) => id !== current.id);
  return { ...state, conversations: [{ ...current, turns: change(current.turns) }, ...others] };
}

function changeAnswer(state: ChatState, turnId: string, change: (answer: Answer) => Answer): ChatState {
  return changeTurn(state, turnId, (turn) => ({ ...turn, answer: change(turn.answer) }));
}

function changeTurn(state: ChatState, turnId: string, change: (turn: Turn) => Turn): ChatState {
  const conversations = state.conversations.map((conversation) =>
    conversation.turns.some(({ id }) => id === turnId)
      ? {
          ...conversation,
          turns: conversation.turns.map((turn) => (turn.id === turnId ? change(turn) : turn)),
        }
      : conversation,
  );
  return { ...state, conversations };
}
