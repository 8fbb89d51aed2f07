import type { Connection } from 'vscode-languageserver';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHAT_COUNT_REQUEST,
  CHAT_PIECES_NOTIFICATION,
  CHAT_SIZE_REQUEST,
  type ChatAskParams,
  type ChatCapabilities,
  type ChatConversation,
  type ChatMessage,
  type ChatOutcome,
  type ChatPieces,
  type ChatSizeOutcome,
  type ChatTool,
  type ChatToolCall,
} from '../../protocol/index.js';
import type { ChatService } from '../chat/chat-service.js';
import { PieceBatches } from '../chat/piece-batches.js';
import type { Log } from '../util/log.js';
import { withAbortSignal } from './abort-signal.js';

/** The requests of protocol/chat.ts. A client may send anything; a malformed conversation gets a message. */
export function handleChat(connection: Connection, service: ChatService, log: Log): void {
  connection.onRequest<ChatCapabilities, void>(CHAT_CAPABILITIES_REQUEST, () => service.capabilities());

  connection.onRequest<number | null, void>(CHAT_COUNT_REQUEST, (params: unknown) =>
    service.count(isRecord(params) && typeof params.text === 'string' ? params.text : ''),
  );

  connection.onRequest<ChatSizeOutcome, void>(CHAT_SIZE_REQUEST, (params: unknown) => {
    const conversation = readConversation(params);
    return conversation === null ? BAD_CONVERSATION : service.size(conversation);
  });

  connection.onRequest<ChatOutcome, void>(CHAT_ASK_REQUEST, async (params: unknown, token) => {
    const asked = readAsk(params);
    if (asked === null) return BAD_CONVERSATION;
    const batches = new PieceBatches((pieces) => {
      const said: ChatPieces = { id: asked.id, pieces };
      connection.sendNotification(CHAT_PIECES_NOTIFICATION, said).catch((error: unknown) => {
        log.debug(`A piece of an answer could not be sent: ${String(error)}`);
      });
    });
    try {
      return await withAbortSignal(token, (signal) => service.ask(asked, (pieces) => batches.push(pieces), signal));
    } finally {
      batches.flush();
    }
  });
}

const BAD_CONVERSATION = {
  kind: 'refused',
  refusal: {
    reason: 'badConversation',
    message:
      'The conversation must be a list of messages, each with a role (system, user, assistant, tool) and a text.',
  },
} as const;

function readAsk(params: unknown): ChatAskParams | null {
  const conversation = readConversation(params);
  if (conversation === null || !isRecord(params) || typeof params.id !== 'string') return null;
  const { maxTokens, temperature, mustCall } = params;
  return {
    ...conversation,
    id: params.id,
    ...(isNumber(maxTokens, 1, 2 ** 24) ? { maxTokens: Math.floor(maxTokens) } : {}),
    ...(isNumber(temperature, 0, 2) ? { temperature } : {}),
    mustCall: mustCall === true,
  };
}

function readConversation(params: unknown): ChatConversation | null {
  if (!isRecord(params) || !Array.isArray(params.messages) || !params.messages.every(isMessage)) return null;
  const { messages, tools = [] } = params;
  if (!Array.isArray(tools) || !tools.every(isTool)) return null;
  return { messages, think: params.think !== false, tools };
}

function isMessage(value: unknown): value is ChatMessage {
  if (!isRecord(value) || typeof value.text !== 'string') return false;
  const { role, callId, toolCalls = [] } = value;
  if (!Array.isArray(toolCalls) || !toolCalls.every(isCall)) return false;
  if (role === 'tool') return typeof callId === 'string' && toolCalls.length === 0;
  return role === 'assistant' || ((role === 'system' || role === 'user') && toolCalls.length === 0);
}

function isCall(value: unknown): value is ChatToolCall {
  return (
    isRecord(value) && typeof value.id === 'string' && typeof value.name === 'string' && isPlainRecord(value.input)
  );
}

function isTool(value: unknown): value is ChatTool {
  if (!isRecord(value)) return false;
  const { name, description, inputSchema } = value;
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    (inputSchema === undefined || isPlainRecord(inputSchema))
  );
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isNumber(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
