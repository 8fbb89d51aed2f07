import {
  type ChatAnswer,
  type ChatAskParams,
  type ChatCapabilities,
  type ChatConversation,
  type ChatMessage,
  type ChatOutcome,
  type ChatPiece,
  type ChatRefusal,
  type ChatRefusalReason,
  type ChatSizeOutcome,
  t,
} from '../../protocol/index.js';
import type { GenerateRequest, GenerationResult, ModelFacts } from '../engine/engine.js';
import { toEngineError } from '../engine/engine-error.js';
import type { EngineHost } from '../engine/engine-host.js';
import type { Log } from '../util/log.js';
import { ChatModel, type ChatRequest } from './chat-model.js';
import { TemplateError } from './chat-template.js';
import { normalizeConversation } from './fit-conversation.js';
import { ThinkingSplitter } from './thinking.js';

/** What the publishers of today's small models recommend, between exact and lively. */
const SAMPLING = { temperature: 0.6, topP: 0.95, topK: 20 } as const;

const MOST_ANSWER_TOKENS = 4096;

type Found =
  | { readonly kind: 'model'; readonly facts: ModelFacts; readonly model: ChatModel }
  | { readonly kind: 'refused'; readonly refusal: ChatRefusal };

/** Conversations with the loaded model, in the engine's chat lane: whole ones come in, answers stream out. */
export class ChatService {
  readonly #host: EngineHost;
  readonly #eosToken: (modelPath: string) => Promise<number>;
  readonly #log: Log;
  readonly #models = new WeakMap<ModelFacts, Promise<ChatModel>>();
  /** Reading an answer again while the user reads it, so that the next question need not wait for that. */
  #preparation = new AbortController();

  /** @param eosToken the end-of-text token that a model file names; -1 for none */
  constructor(host: EngineHost, eosToken: (modelPath: string) => Promise<number>, log: Log) {
    this.#host = host;
    this.#eosToken = eosToken;
    this.#log = log;
  }

  async capabilities(): Promise<ChatCapabilities> {
    const found = await this.#find();
    if (found.kind === 'refused') return { kind: 'cannotChat', refusal: found.refusal };
    const { facts, model } = found;
    return {
      kind: 'canChat',
      modelName: facts.name,
      architecture: facts.architecture,
      contextLength: model.contextLength,
      promptBudget: model.promptBudget,
      thinking: model.thinking.kind,
    };
  }

  async size({ messages, think = true }: ChatConversation): Promise<ChatSizeOutcome> {
    return this.#withRequest<ChatSizeOutcome>(messages, think, async ({ promptTokens, droppedTurns }, model) => ({
      kind: 'size',
      size: { promptTokens, droppedTurns, promptBudget: model.promptBudget },
    }));
  }

  /** Null while no model is loaded. */
  async count(text: string): Promise<number | null> {
    if (this.#host.facts === null) return null;
    return text === '' ? 0 : (await this.#host.tokenize(text)).length;
  }

  /** Never rejects: what goes wrong is an outcome. An abort resolves with what was said so far. */
  async ask(
    { messages, think = true, maxTokens = MOST_ANSWER_TOKENS, temperature = SAMPLING.temperature }: ChatAskParams,
    onPieces: (pieces: readonly ChatPiece[]) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    this.#preparation.abort();
    await this.#host.awake(true, signal);
    return this.#withRequest<ChatOutcome>(messages, think, async (request, model, conversation) => {
      const { prompt, promptTokens, droppedTurns, thinkingOpen } = request;
      const splitter = new ThinkingSplitter(model.thinking.markers, thinkingOpen && model.thinking.kind !== 'none');
      const said = { thinking: '', answer: '' };
      const take = (pieces: readonly ChatPiece[]): void => {
        for (const { kind, text } of pieces) said[kind] += text;
        onPieces(pieces);
      };
      const result = await this.#host.generate(
        {
          ...lane(prompt),
          maxTokens: Math.min(maxTokens, model.contextLength - promptTokens),
          stop: model.ends.texts,
          stopTokens: model.ends.tokens,
          sampling: { ...SAMPLING, temperature, seed: Math.floor(Math.random() * 2 ** 31) },
        },
        (text) => take(splitter.push(text)),
        signal,
      );
      take(splitter.end());
      const answer = describeAnswer(said, result, droppedTurns);
      if (answer.ending === 'complete' && droppedTurns === 0) void this.#prepare(model, conversation, answer, think);
      return { kind: 'answered', answer };
    });
  }

  /** Stops what is done ahead of the next question. */
  dispose(): void {
    this.#preparation.abort();
  }

  async #withRequest<T>(
    messages: readonly ChatMessage[],
    think: boolean,
    use: (request: ChatRequest, model: ChatModel, conversation: readonly ChatMessage[]) => Promise<T>,
  ): Promise<T | { readonly kind: 'refused'; readonly refusal: ChatRefusal }> {
    const found = await this.#find();
    if (found.kind === 'refused') return found;
    const conversation = normalizeConversation(messages);
    if (conversation === null) return refused('badConversation', t('There is no question to answer.'));
    try {
      const request = await found.model.request(conversation, think);
      if (request !== null) return await use(request, found.model, conversation);
      const { promptBudget } = found.model;
      return refused(
        'questionTooLong',
        t(
          'The question, with what is attached to it, is longer than the {0} tokens that {1} has room for here.',
          promptBudget,
          found.facts.name,
        ),
      );
    } catch (error) {
      if (error instanceof TemplateError)
        return refused('templateUnusable', t('{0}: {1}.', found.facts.name, error.message));
      return refused('engineFailed', toEngineError(error).message);
    }
  }

  async #find(): Promise<Found> {
    const { facts } = this.#host;
    if (facts === null) return refused('notReady', t('No model is loaded yet.'));
    const { chatTemplate } = facts;
    if (chatTemplate === null) {
      return refused('noTemplate', t('{0} completes code and cannot chat: it has no chat template.', facts.name));
    }
    try {
      const opened = this.#models.get(facts) ?? this.#open(facts, chatTemplate);
      this.#models.set(facts, opened);
      return { kind: 'model', facts, model: await opened };
    } catch (error) {
      if (error instanceof TemplateError) return refused('templateUnusable', t('{0}: {1}.', facts.name, error.message));
      // The model went away meanwhile.
      this.#models.delete(facts);
      return refused('notReady', toEngineError(error).message);
    }
  }

  async #open(facts: ModelFacts, source: string): Promise<ChatModel> {
    return ChatModel.open(facts, source, await this.#eosToken(facts.path), {
      tokenize: (text, options) => this.#host.tokenize(text, options),
      detokenize: (tokens, options) => this.#host.detokenize(tokens, options),
    });
  }

  /**
   * Evaluates the conversation as the next prompt will show it: without the thinking, and in the batches in which that
   * prompt is read. It waits for everything else.
   */
  async #prepare(
    model: ChatModel,
    messages: readonly ChatMessage[],
    { text }: ChatAnswer,
    think: boolean,
  ): Promise<void> {
    this.#preparation = new AbortController();
    const { signal } = this.#preparation;
    try {
      const said: readonly ChatMessage[] = [...messages, { role: 'assistant', text }];
      const prompt = await model.continuation(said, { think, addGenerationPrompt: false });
      if (signal.aborted || (await model.countPrompt(prompt)) > model.promptBudget) return;
      await this.#host.generate({ ...lane(prompt), priority: 'background', maxTokens: 0 }, () => undefined, signal);
    } catch (error) {
      this.#log.debug(`The conversation was not read ahead: ${toEngineError(error).message}`);
    }
  }
}

function lane({
  parts,
  marks,
}: ChatRequest['prompt']): Pick<GenerateRequest, 'prompt' | 'marks' | 'lane' | 'priority'> {
  return { prompt: parts, marks, lane: 'chat', priority: 'chat' };
}

function refused(reason: ChatRefusalReason, message: string) {
  return { kind: 'refused', refusal: { reason, message } } as const;
}

function describeAnswer(
  said: { readonly thinking: string; readonly answer: string },
  { stopReason, metrics }: GenerationResult,
  droppedTurns: number,
): ChatAnswer {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs, preemptions } = metrics;
  return {
    text: said.answer,
    thinking: said.thinking.trim(),
    ending: endingOf(stopReason),
    droppedTurns,
    promptTokens,
    reusedTokens,
    generatedTokens,
    prefillMs,
    decodeMs,
    preemptions,
  };
}

function endingOf(stopReason: GenerationResult['stopReason']): ChatAnswer['ending'] {
  switch (stopReason) {
    case 'endOfText':
    case 'stopText':
      return 'complete';
    case 'aborted':
      return 'stopped';
    case 'maxTokens':
    case 'timeBudget':
    case 'contextFull':
      return 'cutOff';
  }
}
