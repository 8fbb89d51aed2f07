import { isRecord } from '../../../../server/protocol/index.js';
import {
  type Answer,
  type Attachment,
  type ChatState,
  type Conversation,
  emptyChat,
  type Turn,
  withStoppedAnswers,
} from './conversation.js';
import { isSlashCommand } from './question-text.js';

/** A workspace's conversations, as stored between sessions. */
export interface StoredChat {
  readonly version: 1;
  readonly conversations: readonly Conversation[];
  readonly think: boolean;
}

/** VS Code keeps all of a workspace's state in memory and writes it whole; in characters. */
const MOST_STORED = 4_000_000;

/** If all conversations are too much, those that were last used have precedence. */
export function storeChat({ conversations, think }: ChatState): StoredChat {
  const stored: Conversation[] = [];
  let left = MOST_STORED;
  for (const conversation of conversations) {
    if (conversation.turns.length === 0) continue;
    const { fitting, size } = shortened(conversation, left);
    if (size > left) continue;
    left -= size;
    stored.push(fitting);
  }
  return { version: 1, conversations: stored, think };
}

/** A conversation that does not fit loses what was attached, oldest turns first: its own words are nowhere else. */
function shortened(
  conversation: Conversation,
  most: number,
): { readonly fitting: Conversation; readonly size: number } {
  let size = conversation.turns.reduce((sum, turn) => sum + saidIn(turn) + attachedTo(turn), 0);
  const turns = conversation.turns.map((turn) => {
    if (size <= most) return turn;
    size -= attachedTo(turn);
    return withoutTexts(turn);
  });
  return { fitting: { ...conversation, turns }, size };
}

function saidIn({ question, answer }: Turn): number {
  const said = question.text.length + answer.text.length + answer.thinking.length;
  return said + (question.own?.text.length ?? 0);
}

function attachedTo({ question }: Turn): number {
  return question.attachments.reduce((sum, { text }) => sum + text.length, 0);
}

function withoutTexts(turn: Turn): Turn {
  const attachments = turn.question.attachments.map((attachment) => ({ ...attachment, text: '' }));
  return { ...turn, question: { ...turn.question, attachments } };
}

/**
 * Restores valid parts of what was stored and drops the rest. Starts with an empty conversation. An answer that was
 * running when the window closed counts as stopped.
 */
export function restoreChat(stored: unknown, id: string): ChatState {
  const chat = emptyChat(id);
  if (!isRecord(stored) || stored.version !== 1 || !Array.isArray(stored.conversations)) return chat;
  const kept = stored.conversations.filter(isConversation).map(withWholeAnswers).map(withStoppedAnswers);
  return { ...chat, conversations: [...chat.conversations, ...kept], think: stored.think !== false };
}

function withWholeAnswers({ id, turns }: Conversation): Conversation {
  // Earlier versions did not store what an answer forgot.
  const whole = turns.map((turn) => ({
    ...turn,
    answer: { ...turn.answer, forgottenTokens: turn.answer.forgottenTokens ?? 0 },
  }));
  return { id, turns: whole };
}

function isConversation(value: unknown): value is Conversation {
  return isRecord(value) && typeof value.id === 'string' && Array.isArray(value.turns) && value.turns.every(isTurn);
}

function isTurn(value: unknown): value is Turn {
  if (!isRecord(value) || typeof value.id !== 'string' || !isRecord(value.question)) return false;
  const { text, command, own, attachments } = value.question;
  return (
    (own === undefined || (isRecord(own) && typeof own.name === 'string' && typeof own.text === 'string')) &&
    typeof text === 'string' &&
    (command === null || isSlashCommand(command)) &&
    Array.isArray(attachments) &&
    attachments.every(isAttachment) &&
    isAnswer(value.answer)
  );
}

function isAttachment(value: unknown): value is Attachment {
  return (
    isRecord(value) &&
    ['selection', 'file', 'diagnostics', 'terminal'].includes(String(value.kind)) &&
    [value.id, value.label, value.languageId, value.text].every((each) => typeof each === 'string') &&
    (value.uri === null || typeof value.uri === 'string') &&
    ['undefined', 'boolean'].includes(typeof value.isAutomatic)
  );
}

function isAnswer(value: unknown): value is Answer {
  return (
    isRecord(value) &&
    ['running', 'complete', 'stopped', 'cutOff', 'failed'].includes(String(value.state)) &&
    typeof value.text === 'string' &&
    typeof value.thinking === 'string' &&
    (value.error === null || typeof value.error === 'string') &&
    typeof value.droppedTurns === 'number' &&
    ['undefined', 'number'].includes(typeof value.forgottenTokens)
  );
}
