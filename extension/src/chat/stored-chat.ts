import {
  type Answer,
  type Attachment,
  type ChatState,
  type Conversation,
  emptyChat,
  type Turn,
} from './conversation.js';
import { isSlashCommand } from './question-text.js';

/** A workspace's conversations, as stored between sessions. */
export interface StoredChat {
  readonly version: 1;
  readonly conversations: readonly Conversation[];
  readonly think: boolean;
}

export function storeChat({ conversations, think }: ChatState): StoredChat {
  return { version: 1, conversations: conversations.filter(({ turns }) => turns.length > 0), think };
}

/**
 * Restores valid parts of what was stored and drops the rest. Starts with an empty conversation. An answer that was
 * running when the window closed counts as stopped.
 */
export function restoreChat(stored: unknown, id: string): ChatState {
  const chat = emptyChat(id);
  if (!isRecord(stored) || stored.version !== 1 || !Array.isArray(stored.conversations)) return chat;
  const kept = stored.conversations.filter(isConversation).map(withEndedAnswers);
  return { ...chat, conversations: [...chat.conversations, ...kept], think: stored.think !== false };
}

function withEndedAnswers({ id, turns }: Conversation): Conversation {
  const ended = turns.map((turn): Turn => {
    const { answer } = turn;
    return answer.state === 'running' ? { ...turn, answer: { ...answer, state: 'stopped' } } : turn;
  });
  return { id, turns: ended };
}

function isConversation(value: unknown): value is Conversation {
  return isRecord(value) && typeof value.id === 'string' && Array.isArray(value.turns) && value.turns.every(isTurn);
}

function isTurn(value: unknown): value is Turn {
  if (!isRecord(value) || typeof value.id !== 'string' || !isRecord(value.question)) return false;
  const { text, command, attachments } = value.question;
  return (
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
    (value.uri === null || typeof value.uri === 'string')
  );
}

function isAnswer(value: unknown): value is Answer {
  return (
    isRecord(value) &&
    ['running', 'complete', 'stopped', 'cutOff', 'failed'].includes(String(value.state)) &&
    typeof value.text === 'string' &&
    typeof value.thinking === 'string' &&
    (value.error === null || typeof value.error === 'string') &&
    typeof value.droppedTurns === 'number'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
