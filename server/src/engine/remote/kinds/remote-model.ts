import type { ConversationRequest } from '../../port/engine.js';
import type { GenerateRequest } from '../../port/generation.js';
import type { RemoteModelFacts } from '../../port/model-facts.js';
import type { StreamFormat } from '../http/answer-stream.js';
import type { HttpClient } from '../http/http-client.js';
import type { ConversationPiece, GenerationPiece } from '../prompts/generation-record.js';

/** What a server says of the model that it runs. */
export type ServedModelFacts = Pick<
  RemoteModelFacts,
  | 'server'
  | 'name'
  | 'architecture'
  | 'quantization'
  | 'parameterCount'
  | 'fileBytes'
  | 'contextLength'
  | 'fim'
  | 'chat'
  | 'thinking'
  | 'capabilities'
> & {
  /** Put before every prompt; null where the model wants none, or the server puts it there. */
  readonly bosToken: number | null;
};

/** A question as it goes over the wire, and how to read its answer. */
export interface WireRequest<Piece> {
  readonly path: string;
  readonly body: unknown;
  readonly format: StreamFormat;
  /**
   * What one JSON value of the stream says.
   * @throws EngineError for a value that reports a failure, or that is no part of an answer
   */
  read(value: unknown): Piece;
}

/** A prompt in the form that the server wants, and the part of it that the answer repeats. */
export interface CompletionWire extends WireRequest<GenerationPiece> {
  /** The user has typed this already, and the answer starts with it; it is no part of the text. */
  readonly repeated: string;
  /** The request asks for an answer that begins with this. */
  readonly begun: GenerationPiece;
  /** The answer ends at any of these, where the server sends token ids. */
  readonly endTokens: readonly number[];
  /** Null where only the server can count them. */
  readonly promptTokens: number | null;
}

/** How to ask one kind of server, once it has said what it runs. One file for each kind. */
export interface RemoteModel {
  readonly facts: ServedModelFacts;
  /** Whether the server still has this model: it may be started again with another one. @throws EngineError */
  isPresent(signal: AbortSignal): Promise<boolean>;
  /** Only where `capabilities.tokenizes`. */
  tokenize(text: string, parseSpecial: boolean, signal: AbortSignal): Promise<readonly number[]>;
  detokenize(tokens: readonly number[], special: boolean, signal: AbortSignal): Promise<string>;
  completion(request: GenerateRequest, signal: AbortSignal): Promise<CompletionWire>;
  conversation(request: ConversationRequest): WireRequest<ConversationPiece>;
}

/**
 * @param model as the user names it; empty for the only one
 * @throws EngineError
 */
export type OpenRemoteModel = (http: HttpClient, model: string, signal: AbortSignal) => Promise<RemoteModel>;
