import { type ChatCapabilities, type ChatMessage, type ChatPiece, t } from '../../protocol/index.js';
import type { EngineClient } from '../engine/lifecycle/engine-client.js';
import type { ConversationRequest, ConversationResult } from '../engine/port/engine.js';
import type { RemoteModelFacts } from '../engine/port/model-facts.js';
import { estimateTokens } from '../prompt/token-budget.js';
import { someAtATime } from '../util/some-at-a-time.js';
import { ThinkingSplitter, thinkingStyle } from './answer/thinking.js';
import { type ChatAbilities, promptBudget } from './chat-abilities.js';
import { MOST_COUNTED_AT_ONCE, TOKENS_AROUND_MESSAGE } from './chat-model.js';
import { type FittedConversation, fitConversation } from './prompt/fit-conversation.js';
import { TokenCounts } from './token-counts.js';

export interface MessagesRequest extends FittedConversation {
  readonly promptTokens: number;
}

/** Characters; the tokens of a longer text are estimated, as no model takes that many. */
export const LONGEST_COUNTED = 4_000_000;

type Client = Pick<EngineClient, 'tokenize' | 'converse'>;

/** A remote model, whose server renders the conversation. What fits is decided here. */
export class MessagesChat {
  readonly promptBudget: number;
  readonly #client: Client;
  readonly #facts: RemoteModelFacts;
  /** A conversation is measured after each pause of its user, and each text is a request to the server. */
  readonly #counts: TokenCounts;

  constructor(client: Client, facts: RemoteModelFacts) {
    this.#client = client;
    this.#facts = facts;
    this.promptBudget = promptBudget(facts.chatContextLength);
    // The server reads special tokens wherever a conversation spells them. To tell it not to can take a request for each.
    this.#counts = new TokenCounts(async (text) => (await client.tokenize(text, { parseSpecial: true })).length);
  }

  capabilities(): ChatCapabilities {
    const { name, host, architecture, chatContextLength, thinking } = this.#facts;
    return {
      kind: 'canChat',
      modelName: t('{0} on {1}', name, host),
      architecture,
      contextLength: chatContextLength,
      promptBudget: this.promptBudget,
      thinking,
      // The form of calls differs from server to server.
      tools: false,
    };
  }

  get name(): string {
    return this.#facts.name;
  }

  get contextLength(): number {
    return this.#facts.chatContextLength;
  }

  get thinking(): ChatAbilities['thinking'] {
    return this.#facts.thinking;
  }

  /** Counted by the server's tokenizer if it has one for clients and the text is not too long, otherwise estimated. */
  async count(text: string): Promise<number> {
    if (text === '') return 0;
    const countable = this.#facts.capabilities.tokenizes && text.length <= LONGEST_COUNTED;
    return countable ? this.#counts.of(text) : estimateTokens(text);
  }

  /** As much of a conversation as fits; null if the last question alone does not. */
  async request(messages: readonly ChatMessage[]): Promise<MessagesRequest | null> {
    const counts = await someAtATime(
      messages,
      MOST_COUNTED_AT_ONCE,
      async ({ text }) => (await this.count(text)) + TOKENS_AROUND_MESSAGE,
    );
    const fitted = fitConversation(messages, counts, this.promptBudget);
    const countOf = new Map(messages.map((message, index) => [message, counts[index] ?? 0]));
    const promptTokens = fitted.messages.reduce((sum, each) => sum + (countOf.get(each) ?? 0), 0);
    return promptTokens <= this.promptBudget ? { ...fitted, promptTokens } : null;
  }

  /** @throws EngineError */
  async answer(
    { messages, promptTokens }: MessagesRequest,
    options: Omit<ConversationRequest, 'messages'>,
    onPieces: (pieces: readonly ChatPiece[]) => void,
    signal: AbortSignal,
  ): Promise<ConversationResult> {
    // A server that does not support a model's thinking leaves it in the answer.
    const splitter = new ThinkingSplitter(thinkingStyle('').markers, false);
    const room = this.#facts.chatContextLength - promptTokens;
    const result = await this.#client.converse(
      { ...options, messages, maxTokens: Math.max(1, Math.min(options.maxTokens, room)) },
      ({ thinking, answer }) => {
        if (thinking !== '') onPieces([{ kind: 'thinking', text: thinking }]);
        if (answer !== '') onPieces(splitter.push(answer));
      },
      signal,
    );
    onPieces(splitter.end());
    return result;
  }
}
