import { isRecord } from '../../../server/protocol/index.js';
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

/** Leaves out the conversations that were not used for longest if all of them are too much. */
export function storeChat({ conversations, think }: ChatState): StoredChat {
  const stored: Conversation[] = [];
  let size = 0;
  for (const conversation of conversations) {
    if (conversation.turns.length === 0) continue;
    size += charactersOf(conversation);
    if (size > MOST_STORED) break;
    stored.push(conversation);
  }
  return { version: 1, conversations: stored, think };
}

function charactersOf({ turns }: Conversation): number {
  const texts = turns.flatMap(({ question, answer }) => [
    ...question.attachments.map(({ text }) => text),
    ...[question.text, answer.text, answer.thinking],
  ]);
  return texts.reduce((sum, { length }) => sum + length, 0);
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
