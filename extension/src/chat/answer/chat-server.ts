import { randomUUID } from 'node:crypto';
import { CancellationTokenSource } from 'vscode';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHAT_COUNT_REQUEST,
  CHAT_SIZE_REQUEST,
  type ChatAskParams,
  type ChatCapabilities,
  type ChatCapabilitiesParams,
  type ChatConversation,
  type ChatCountParams,
  type ChatOutcome,
  type ChatPiece,
  type ChatPieces,
  type ChatRefusal,
  type ChatSizeOutcome,
  t,
} from '../../../../server/protocol/index.js';
import type { ServerRequest } from '../../client/server-life.js';

/** The server's chat, for the panel and VS Code's own chat. Null if no server answers. */
export interface ChatServer {
  capabilities(): Promise<ChatCapabilities | null>;
  size(conversation: ChatConversation): Promise<ChatSizeOutcome | null>;
  count(text: string): Promise<number | null>;
  /** An abort stops the model; the outcome then contains the answer so far, or is null if it never began. */
  ask(
    question: Omit<ChatAskParams, 'id'>,
    onPieces: (pieces: readonly ChatPiece[]) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome | null>;
}

/** `ChatServer` over the language server's connection. */
export class ConnectedChat implements ChatServer {
  readonly #listeners = new Map<string, (pieces: readonly ChatPiece[]) => void>();

  readonly #request: ServerRequest;

  readonly #storeDirectory: string;

  readonly #isOn: () => boolean;

  /**
   * @param storeDirectory of downloaded models
   * @param isOn whether the user has Inkling turned on: where it was off from the start, no server says so
   */
  constructor(request: ServerRequest, storeDirectory: string, isOn: () => boolean) {
    this.#request = request;
    this.#storeDirectory = storeDirectory;
    this.#isOn = isOn;
  }

  async capabilities(): Promise<ChatCapabilities | null> {
    const params: ChatCapabilitiesParams = { storeDirectory: this.#storeDirectory };
    const found = await this.#request<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST, params);
    return found === null && !this.#isOn() ? { kind: 'cannotChat', refusal: off(), instead: null } : found;
  }

  size(conversation: ChatConversation): Promise<ChatSizeOutcome | null> {
    return this.#request(CHAT_SIZE_REQUEST, conversation);
  }

  count(text: string): Promise<number | null> {
    return this.#request(CHAT_COUNT_REQUEST, { text } satisfies ChatCountParams);
  }

  async ask(
    question: Omit<ChatAskParams, 'id'>,
    onPieces: (pieces: readonly ChatPiece[]) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome | null> {
    // Stopped while its attachments were read.
    if (signal.aborted) return null;
    const id = randomUUID();
    const source = new CancellationTokenSource();
    const cancel = () => source.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    this.#listeners.set(id, onPieces);
    try {
      const outcome = await this.#request<ChatOutcome>(CHAT_ASK_REQUEST, { ...question, id }, source.token);
      return outcome === null && !this.#isOn() ? { kind: 'refused', refusal: off() } : outcome;
    } finally {
      this.#listeners.delete(id);
      signal.removeEventListener('abort', cancel);
      source.dispose();
    }
  }

  /** Passes on what the server streams; ignores pieces for an answer that nobody waits for. */
  receive({ id, pieces }: ChatPieces): void {
    this.#listeners.get(id)?.(pieces);
  }
}

function off(): ChatRefusal {
  return { reason: 'off', message: t('Inkling is off.') };
}
