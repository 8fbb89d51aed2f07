import type { RemoteServerKind } from '../../../protocol/index.js';
import type { FimTokenIds } from '../../prompt/fim-template.js';
import type { ConversationRequest, EngineCapabilities, GenerateRequest } from '../engine.js';
import type { StreamFormat } from './answer-stream.js';
import type { ConversationPiece, GenerationPiece } from './generation-record.js';
import type { HttpClient } from './http-client.js';

/** What a server says of the model that it runs. */
export interface RemoteModelFacts {
  readonly kind: RemoteServerKind;
  readonly name: string;
  readonly architecture: string;
  readonly quantization: string;
  /** 0 where the server does not say. */
  readonly parameterCount: number;
  readonly fileBytes: number;
  readonly contextLength: number;
  /** Null for a model that cannot fill in the middle. */
  readonly fim: FimTokenIds | null;
  /** Put before every prompt; null where the model wants none, or the server puts it there. */
  readonly bosToken: number | null;
  /** A chat template, whose text is not always known. */
  readonly chat: boolean;
  readonly thinking: 'none' | 'always' | 'optional';
  readonly capabilities: Omit<EngineCapabilities, 'chat'>;
}

/** A question as it goes over the wire, and how its answer is read. */
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

/** A prompt in the form that the server wants, and what of it the answer will repeat. */
export interface CompletionWire extends WireRequest<GenerationPiece> {
  /** At the start of the answer, what was typed already; it is no part of the text. */
  readonly repeated: string;
  /** What the answer begins with, because it was asked to. */
  readonly begun: GenerationPiece;
  readonly promptTokens: number;
}

/** One kind of server, once it has said what it runs: how it is asked. One file each. */
export interface RemoteModel {
  readonly facts: RemoteModelFacts;
  /** Whether the server still has this very model: somebody may start it with another one. @throws EngineError */
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
