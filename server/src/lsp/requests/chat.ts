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
  isNumber,
  isRecord,
  isText,
} from '../../../protocol/index.js';
import type { ChatService } from '../../chat/chat-service.js';
import { PieceBatches } from '../../chat/piece-batches.js';
import type { Log } from '../../util/log.js';
import { withAbortSignal } from '../connection/abort-signal.js';
import { notifyClient } from '../connection/notify-client.js';

/** The requests of protocol/chat.ts. A client may send anything; a malformed conversation gets a message. */
export function handleChat(connection: Connection, service: ChatService, log: Log): void {
  connection.onRequest<ChatCapabilities, void>(CHAT_CAPABILITIES_REQUEST, (params: unknown) =>
    service.capabilities(isRecord(params) && isText(params.storeDirectory) ? params.storeDirectory : null),
  );

  connection.onRequest<number | null, void>(CHAT_COUNT_REQUEST, (params: unknown) =>
    service.count(isRecord(params) && isText(params.text) ? params.text : ''),
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
      void notifyClient(connection, CHAT_PIECES_NOTIFICATION, said, log);
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
  if (conversation === null || !isRecord(params) || !isText(params.id)) return null;
  const { maxTokens, asLongAs, temperature, mustCall } = params;
  return {
    ...conversation,
    id: params.id,
    ...(isNumber(maxTokens, 1, 2 ** 24) ? { maxTokens: Math.floor(maxTokens) } : {}),
    ...(isText(asLongAs) ? { asLongAs } : {}),
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
  if (!isRecord(value) || !isText(value.text)) return false;
  const { role, callId, toolCalls = [] } = value;
  if (!Array.isArray(toolCalls) || !toolCalls.every(isCall)) return false;
  if (role === 'tool') return isText(callId) && toolCalls.length === 0;
  return role === 'assistant' || ((role === 'system' || role === 'user') && toolCalls.length === 0);
}

function isCall(value: unknown): value is ChatToolCall {
  return isRecord(value) && isText(value.id) && isText(value.name) && isRecord(value.input);
}

function isTool(value: unknown): value is ChatTool {
  if (!isRecord(value)) return false;
  const { name, description, inputSchema } = value;
  return isText(name) && isText(description) && (inputSchema === undefined || isRecord(inputSchema));
}
