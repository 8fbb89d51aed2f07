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
  type ChatToolCall,
  t,
} from '../../protocol/index.js';
import type { GenerateRequest, GenerationResult, ModelFacts } from '../engine/engine.js';
import { toEngineError } from '../engine/engine-error.js';
import type { EngineHost } from '../engine/engine-host.js';
import type { Log } from '../util/log.js';
import { readAnswer } from './answer-format.js';
import { ChatModel, type ChatRequest, type RequestOptions } from './chat-model.js';
import { TemplateError } from './chat-template.js';
import { normalizeConversation } from './normalize-conversation.js';

/** What the publishers of today's small models recommend, between exact and lively. */
const SAMPLING = { temperature: 0.6, topP: 0.95, topK: 20 } as const;

const MOST_ANSWER_TOKENS = 4096;

type Found =
  | { readonly kind: 'model'; readonly facts: ModelFacts; readonly model: ChatModel }
  | { readonly kind: 'refused'; readonly refusal: ChatRefusal };

/** A conversation as the template gets it. */
interface Asked {
  readonly messages: readonly ChatMessage[];
  readonly options: RequestOptions;
}

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
      ...model.answers.abilities,
    };
  }

  async size(conversation: ChatConversation): Promise<ChatSizeOutcome> {
    return this.#withRequest<ChatSizeOutcome>(conversation, async ({ promptTokens, droppedTurns }, model) => ({
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
    question: Omit<ChatAskParams, 'id'>,
    onPieces: (pieces: readonly ChatPiece[]) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    this.#preparation.abort();
    await this.#host.awake(true, signal);
    const { maxTokens = MOST_ANSWER_TOKENS, temperature = SAMPLING.temperature, mustCall = false } = question;
    return this.#withRequest<ChatOutcome>(question, async (request, model, { messages, options }) => {
      const { prompt, promptTokens, droppedTurns, thinkingOpen } = request;
      const { format, spelledTokens, endTokens, endTexts } = model.answers;
      const reader = readAnswer(format, thinkingOpen, options.tools);
      const said = new SaidSoFar(onPieces);
      const forced = mustCall && options.tools.length > 0 && !thinkingOpen;
      const result = await this.#host.generate(
        {
          ...lane(prompt),
          maxTokens: Math.min(maxTokens, model.contextLength - promptTokens),
          stop: endTexts,
          stopTokens: endTokens,
          spelledTokens,
          sampling: { ...SAMPLING, temperature, seed: Math.floor(Math.random() * 2 ** 31) },
          ...(forced ? { begin: await model.callOpening() } : {}),
        },
        (text) => said.take(reader.push(text)),
        signal,
      );
      said.take(reader.end());
      const answer = describeAnswer(said, result, droppedTurns);
      const isWhole = answer.ending === 'complete' && answer.toolCalls.length === 0 && droppedTurns === 0;
      if (isWhole) void this.#prepare(model, messages, answer, options);
      return { kind: 'answered', answer };
    });
  }

  /** Stops what is done ahead of the next question. */
  dispose(): void {
    this.#preparation.abort();
  }

  async #withRequest<T>(
    { messages, think = true, tools = [] }: ChatConversation,
    use: (request: ChatRequest, model: ChatModel, asked: Asked) => Promise<T>,
  ): Promise<T | { readonly kind: 'refused'; readonly refusal: ChatRefusal }> {
    const found = await this.#find();
    if (found.kind === 'refused') return found;
    const { model } = found;
    try {
      const canCall = model.answers.abilities.tools;
      const normalized = normalizeConversation(messages, canCall);
      if (normalized === null) return refused('badConversation', t('There is no question to answer.'));
      const options = { think, tools: canCall ? tools : [] };
      const request = await model.request(normalized, options);
      if (request !== null) return await use(request, model, { messages: normalized, options });
      const { promptBudget } = model;
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
    return ChatModel.open(facts, source, facts.chatContextLength, await this.#eosToken(facts.path), {
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
    options: RequestOptions,
  ): Promise<void> {
    this.#preparation = new AbortController();
    const { signal } = this.#preparation;
    try {
      const said: readonly ChatMessage[] = [...messages, { role: 'assistant', text }];
      const prompt = await model.continuation(said, options);
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

/** An answer while it comes. */
class SaidSoFar {
  thinking = '';
  answer = '';
  readonly toolCalls: ChatToolCall[] = [];

  constructor(private readonly onPieces: (pieces: readonly ChatPiece[]) => void) {}

  take(pieces: readonly ChatPiece[]): void {
    if (pieces.length === 0) return;
    for (const piece of pieces) {
      if (piece.kind === 'toolCall') this.toolCalls.push(piece.call);
      else this[piece.kind] += piece.text;
    }
    this.onPieces(pieces);
  }
}

function describeAnswer(
  said: Pick<SaidSoFar, 'thinking' | 'answer' | 'toolCalls'>,
  { stopReason, metrics }: GenerationResult,
  droppedTurns: number,
): ChatAnswer {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs, preemptions } = metrics;
  return {
    text: said.answer,
    thinking: said.thinking.trim(),
    toolCalls: said.toolCalls,
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
