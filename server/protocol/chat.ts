/** Client to server, request without parameters: whether the loaded model can chat, as `ChatCapabilities`. */
export const CHAT_CAPABILITIES_REQUEST = 'inkling/chatCapabilities';

/**
 * Client to server, request with `ChatAskParams`: asks the model, and answers with a `ChatOutcome` when the model has
 * ended. Cancelling the request stops the model; the outcome then holds what it had said.
 */
export const CHAT_ASK_REQUEST = 'inkling/chatAsk';

/** Client to server, request with `ChatConversation`: what it takes of the model's context, as `ChatSize`. */
export const CHAT_SIZE_REQUEST = 'inkling/chatSize';

/** Client to server, request with `ChatCountParams`: the number of tokens of a text; null while no model is loaded. */
export const CHAT_COUNT_REQUEST = 'inkling/chatCount';

/** Server to client, notification with `ChatPieces`: what the model has said since the last one. */
export const CHAT_PIECES_NOTIFICATION = 'inkling/chatPieces';

export interface ChatMessage {
  /** `tool`: what came of a call. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Of an assistant only: what it wanted called. */
  readonly toolCalls?: readonly ChatToolCall[];
  /** Of a tool only: the call that it answers. */
  readonly callId?: string;
}

/** Something that the model may have called, by whoever asks it. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of the input; absent where it takes none. */
  readonly inputSchema?: object;
}

export interface ChatToolCall {
  /** Unique within a conversation. */
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ChatConversation {
  /** Oldest first; a question at the end. */
  readonly messages: readonly ChatMessage[];
  /** Where the model can be asked not to think before it answers. Default true. */
  readonly think?: boolean;
  /** What the model may call, where `ChatCapabilities` says that it can. Default: nothing. */
  readonly tools?: readonly ChatTool[];
}

export interface ChatAskParams extends ChatConversation {
  /** Names this answer in `ChatPieces`; unique among those under way. */
  readonly id: string;
  /** The longest answer in tokens, thinking included; what the context has room for is the limit anyway. */
  readonly maxTokens?: number;
  /** 0 is greedy. Default 0.6. */
  readonly temperature?: number;
  /** The answer has to be a call. Models that begin with their thinking are asked, not forced. Default false. */
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
  /** No model is loaded, or it is still loading. */
  | 'notReady'
  /** The model has no chat template. */
  | 'noTemplate'
  /** It has one that cannot be used. */
  | 'templateUnusable'
  /** The question alone outgrows the context. */
  | 'questionTooLong'
  /** The conversation is not one that can be answered. */
  | 'badConversation'
  | 'engineFailed';

export interface ChatRefusal {
  readonly reason: ChatRefusalReason;
  /** One sentence for the user. */
  readonly message: string;
}

export type ChatCapabilities =
  | { readonly kind: 'cannotChat'; readonly refusal: ChatRefusal }
  | {
      readonly kind: 'canChat';
      readonly modelName: string;
      readonly architecture: string;
      /** Tokens that conversation and answer share. */
      readonly contextLength: number;
      /** Of these, the most that a conversation may take. */
      readonly promptBudget: number;
      /** `optional`: it can be asked not to. */
      readonly thinking: 'none' | 'always' | 'optional';
      /** Whether it can ask for tools to be called. */
      readonly tools: boolean;
    };

export interface ChatSize {
  /** Of the prompt that the model would read, older turns left out as below. */
  readonly promptTokens: number;
  /** Questions, with their answers, that the model would no longer see. */
  readonly droppedTurns: number;
  readonly promptBudget: number;
}

export type ChatSizeOutcome =
  | { readonly kind: 'size'; readonly size: ChatSize }
  | { readonly kind: 'refused'; readonly refusal: ChatRefusal };

export interface ChatAnswer {
  readonly text: string;
  /** Empty where it did not think. */
  readonly thinking: string;
  readonly toolCalls: readonly ChatToolCall[];
  /** `cutOff`: a limit ended it. */
  readonly ending: 'complete' | 'stopped' | 'cutOff';
  readonly droppedTurns: number;
  /** Of the conversation and this answer, what the model forgot while it answered, as its context was full. */
  readonly forgottenTokens: number;
  readonly promptTokens: number;
  /** Of the prompt's tokens, those that the engine still held from earlier turns. */
  readonly reusedTokens: number;
  readonly generatedTokens: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
  /** How often a suggestion went first in between. */
  readonly preemptions: number;
}

export type ChatOutcome =
  | { readonly kind: 'answered'; readonly answer: ChatAnswer }
  | { readonly kind: 'refused'; readonly refusal: ChatRefusal };
