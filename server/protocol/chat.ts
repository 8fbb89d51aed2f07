import type { ModelOffer } from './models.js';

/** Client to server, request with `ChatCapabilitiesParams`: whether the loaded model can chat, as `ChatCapabilities`. */
export const CHAT_CAPABILITIES_REQUEST = 'inkling/chatCapabilities';

/**
 * Client to server, request with `ChatAskParams`: asks the model, and answers with a `ChatOutcome` at the end.
 * Cancelling the request stops the model; the outcome then contains the answer so far.
 */
export const CHAT_ASK_REQUEST = 'inkling/chatAsk';

/**
 * Client to server, request with `ChatConversation`: how many tokens of the model's context it takes, as `ChatSize`.
 */
export const CHAT_SIZE_REQUEST = 'inkling/chatSize';

/**
 * Client to server, request with `ChatCountParams`: the number of tokens of a text; null while no model is loaded, and
 * while Inkling is off.
 */
export const CHAT_COUNT_REQUEST = 'inkling/chatCount';

/** Server to client, notification with `ChatPieces`: the text generated since the last notification. */
export const CHAT_PIECES_NOTIFICATION = 'inkling/chatPieces';

export interface ChatCapabilitiesParams {
  /** Where the client's downloads are, to find a chat model among them; null without one. */
  readonly storeDirectory: string | null;
}

export interface ChatMessage {
  /** `tool`: the result of a call. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** The calls that the assistant asked for; other roles have none. */
  readonly toolCalls?: readonly ChatToolCall[];
  /** The call that this result answers; only the role `tool` has it. */
  readonly callId?: string;
}

/** A tool that the model may call; the client runs it. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of the input; absent if the tool takes none. */
  readonly inputSchema?: object;
}

export interface ChatToolCall {
  /** Unique within a conversation. */
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ChatConversation {
  /** Oldest first; the question is last. */
  readonly messages: readonly ChatMessage[];
  /** Whether the model may think before it answers, if this can be chosen. Default true. */
  readonly think?: boolean;
  /** Tools that the model may call if `ChatCapabilities` allows it. Default: none. */
  readonly tools?: readonly ChatTool[];
}

export interface ChatAskParams extends ChatConversation {
  /** Names this answer in `ChatPieces`; unique among the running ones. */
  readonly id: string;
  /** Longest answer in tokens, thinking included. The room in the context limits it in any case. */
  readonly maxTokens?: number;
  /**
   * The answer will be about as long as this text, as a rewrite is. It is asked for only if it fits into the context
   * beside the conversation, and the context forgets nothing of both. `questionTooLong` says the numbers.
   */
  readonly asLongAs?: string;
  /** 0 is greedy. Default 0.6. */
  readonly temperature?: number;
  /** The answer must be a call. Models that begin with thinking are asked, not forced. Default false. */
  readonly mustCall?: boolean;
}

export interface ChatCountParams {
  readonly text: string;
}

export type ChatPiece =
  | { readonly kind: 'thinking' | 'answer'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly call: ChatToolCall };

export interface ChatPieces {
  readonly id: string;
  readonly pieces: readonly ChatPiece[];
}

export type ChatRefusalReason =
  /** The user has turned Inkling off. */
  | 'off'
  /** No model is loaded yet. */
  | 'notReady'
  /** The model has no chat template. */
  | 'noTemplate'
  /** The model's template cannot be used. */
  | 'templateUnusable'
  /** The question alone is larger than the context. */
  | 'questionTooLong'
  /** The conversation's messages are not in an order that can be answered. */
  | 'badConversation'
  | 'engineFailed';

export interface ChatRefusal {
  readonly reason: ChatRefusalReason;
  /** One sentence for the user. */
  readonly message: string;
}

export type ChatCapabilities =
  | {
      readonly kind: 'cannotChat';
      readonly refusal: ChatRefusal;
      /**
       * What could chat: a model that is on this machine, or else one to download. Null unless the model is the reason, or
       * where none fits this machine.
       */
      readonly instead: ModelOffer | null;
    }
  | {
      readonly kind: 'canChat';
      readonly modelName: string;
      /** Null where a remote server does not say. */
      readonly architecture: string | null;
      /** Tokens that conversation and answer share. */
      readonly contextLength: number;
      /** The most tokens of these that a conversation may take. */
      readonly promptBudget: number;
      /** `optional`: the request decides. */
      readonly thinking: 'none' | 'always' | 'optional';
      /** Whether the model can call tools. */
      readonly tools: boolean;
    };

export interface ChatSize {
  /** Tokens of the prompt, without the turns left out. */
  readonly promptTokens: number;
  /** A remote server frames the conversation itself, and may not count tokens for clients. */
  readonly isEstimate: boolean;
  /** Questions, with their answers, that no longer fit. */
  readonly droppedTurns: number;
  readonly promptBudget: number;
}

export type ChatSizeOutcome =
  | { readonly kind: 'size'; readonly size: ChatSize }
  | { readonly kind: 'refused'; readonly refusal: ChatRefusal };

export interface ChatAnswer {
  readonly text: string;
  /** Empty if the model did not think. */
  readonly thinking: string;
  readonly toolCalls: readonly ChatToolCall[];
  /** `cutOff`: a limit ended it. */
  readonly ending: 'complete' | 'stopped' | 'cutOff';
  readonly droppedTurns: number;
  /** Tokens of the conversation and this answer that the model forgot while it answered: its context was full. */
  readonly forgottenTokens: number;
  readonly promptTokens: number;
  /** Tokens of the prompt that the engine still held from earlier turns; null where a server does not say. */
  readonly reusedTokens: number | null;
  readonly generatedTokens: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
  /** How often a suggestion went first in between; null where a remote server answers. */
  readonly preemptions: number | null;
}

export type ChatOutcome =
  | { readonly kind: 'answered'; readonly answer: ChatAnswer }
  | { readonly kind: 'refused'; readonly refusal: ChatRefusal };
