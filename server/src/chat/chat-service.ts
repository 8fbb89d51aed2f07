import {
  type ChatAnswer,
  type ChatAskParams,
  type ChatCapabilities,
  type ChatConversation,
  type ChatMessage,
  type ChatOutcome,
  type ChatRefusal,
  type ChatRefusalReason,
  type ChatSizeOutcome,
  type EngineErrorInfo,
  type InklingSettings,
  type ModelOffer,
  t,
} from '../../protocol/index.js';
import { toEngineError } from '../engine/port/engine-error.js';
import type { GenerateRequest, GenerationResult } from '../engine/port/generation.js';
import type { LocalModelFacts, RemoteModelFacts } from '../engine/port/model-facts.js';
import type { ChatModelFile } from '../models/chat-model-files.js';
import { estimateTokens } from '../prompt/token-budget.js';
import type { Log } from '../util/log.js';
import { readAnswer } from './answer/answer-format.js';
import { answerLength } from './answer-length.js';
import { chatAbilities, promptBudget } from './chat-abilities.js';
import { GrowingAnswer, type OnPieces, stoppable } from './chat-answer.js';
import { type ChatEngine, type ChatEngines, chatContextLength } from './chat-engines.js';
import { ChatModel, type ChatRequest, type RequestOptions } from './chat-model.js';
import { LONGEST_COUNTED, MessagesChat, type MessagesRequest } from './messages-chat.js';
import { RenderingFailed, TemplateError } from './prompt/chat-template.js';
import { normalizeConversation } from './prompt/normalize-conversation.js';
import type { RenderTemplate } from './rendering/template-renderer.js';
import { generateYielding } from './yielding-generation.js';

/** A middle of what publishers recommend for today's small models. */
const SAMPLING = { temperature: 0.6, topP: 0.95, topK: 20 } as const;

const MOST_ANSWER_TOKENS = 4096;

/** Facts from model files, loaded or not. */
export interface ModelFiles {
  /** The end-of-text token that a file names; null for none. */
  readonly eosToken: (path: string) => Promise<number | null>;
  /** The error for what is no model. */
  readonly describe: (path: string) => Promise<ChatModelFile | EngineErrorInfo>;
  /**
   * A chat model in place of one that cannot chat; null where none fits.
   *
   * @param storeDirectory of the client's downloads; null without one
   */
  readonly chatModelInstead: (storeDirectory: string | null) => Promise<ModelOffer | null>;
}

type Refused = { readonly kind: 'refused'; readonly refusal: ChatRefusal };
type Found = { readonly kind: 'model'; readonly engine: ChatEngine; readonly model: ChatModel };

type Asking = Omit<ChatAskParams, 'id'>;

/** A conversation that is measured or asked. */
type Question = ChatConversation & Pick<ChatAskParams, 'asLongAs'>;

/** What a model has room for. */
type Room = Pick<ChatModel, 'name' | 'promptBudget' | 'contextLength' | 'thinking'>;

/** A question with the model that answers it, and the conversation in the template's form. */
interface Asked extends Found {
  readonly messages: readonly ChatMessage[];
  readonly options: RequestOptions;
}

/** Conversations with the chat model: takes whole conversations and streams answers. While Inkling is off, it refuses. */
export class ChatService {
  readonly #engines: ChatEngines;
  readonly #files: ModelFiles;
  readonly #settings: () => Pick<InklingSettings, 'enabled' | 'speculation'>;
  readonly #log: Log;
  readonly #render: RenderTemplate;
  readonly #models = new WeakMap<LocalModelFacts, Promise<ChatModel>>();
  readonly #remotes = new WeakMap<RemoteModelFacts, MessagesChat>();
  /** Evaluates an answer as the next prompt shows it, while the user reads it, so that the next question need not wait. */
  #preparation = new AbortController();
  /** Ends all answers that are being written. */
  #answering = new AbortController();

  constructor(
    engines: ChatEngines,
    files: ModelFiles,
    settings: () => Pick<InklingSettings, 'enabled' | 'speculation'>,
    log: Log,
    render: RenderTemplate,
  ) {
    this.#render = render;
    this.#engines = engines;
    this.#files = files;
    this.#settings = settings;
    this.#log = log;
  }

  /** The abilities of the model that answers, or will after its load. */
  async capabilities(storeDirectory: string | null): Promise<ChatCapabilities> {
    if (!this.#settings().enabled) return cannotChat(off());
    const instead = () => this.#files.chatModelInstead(storeDirectory);
    const { client, lifecycle } = this.#engines.current.host;
    const present = lifecycle.knownFacts;
    if (present?.kind === 'remote') {
      if (present.chat) return new MessagesChat(client, present).capabilities();
      return cannotChat(noTemplate(present.name), await instead());
    }
    const file = await this.#known();
    if (file === null) return cannotChat(notReady());
    if ('code' in file) return cannotChat(notReady(`${file.message}.`));
    const { name, architecture, chatTemplate, contextLength } = file;
    if (chatTemplate === null) return cannotChat(noTemplate(name), await instead());
    try {
      const abilities = await chatAbilities(chatTemplate, this.#render);
      const budget = promptBudget(contextLength);
      return { kind: 'canChat', modelName: name, architecture, contextLength, promptBudget: budget, ...abilities };
    } catch (error) {
      if (error instanceof TemplateError) return cannotChat(templateUnusable(name, error));
      if (error instanceof RenderingFailed) return cannotChat(refused('engineFailed', error.message));
      throw error;
    }
  }

  async size(conversation: ChatConversation): Promise<ChatSizeOutcome> {
    if (!this.#settings().enabled) return off();
    const remote = this.#remote();
    if (remote !== null) {
      return this.#withMessages<ChatSizeOutcome>(remote, conversation, async ({ promptTokens, droppedTurns }) => ({
        kind: 'size',
        size: { promptTokens, isEstimate: true, droppedTurns, promptBudget: remote.promptBudget },
      }));
    }
    return this.#withRequest<ChatSizeOutcome>(conversation, async ({ promptTokens, droppedTurns }, { model }) => ({
      kind: 'size',
      size: { promptTokens, isEstimate: false, droppedTurns, promptBudget: model.promptBudget },
    }));
  }

  /** Null while no model is loaded, or Inkling is off. */
  async count(text: string): Promise<number | null> {
    if (!this.#settings().enabled) return null;
    const { client } = this.#engines.current.host;
    if (client.facts === null) return null;
    const remote = this.#remote();
    if (remote !== null) return remote.count(text);
    if (text.length > LONGEST_COUNTED) return estimateTokens(text);
    return text === '' ? 0 : (await client.tokenize(text)).length;
  }

  /**
   * Waits for a model that is loading. Never rejects: every failure is an outcome. An abort resolves with the answer so
   * far.
   */
  async ask(question: Asking, onPieces: OnPieces, cancelled: AbortSignal): Promise<ChatOutcome> {
    if (!this.#settings().enabled) return off();
    this.#preparation.abort();
    const signal = AbortSignal.any([cancelled, this.#answering.signal]);
    await this.#engines.ready(signal);
    return stoppable((begin) => this.#ask(question, onPieces, begin, signal), signal);
  }

  async #ask(question: Asking, onPieces: OnPieces, begin: () => void, signal: AbortSignal): Promise<ChatOutcome> {
    const { asLongAs = null, temperature = SAMPLING.temperature, mustCall = false } = question;
    const { maxTokens = asLongAs === null ? MOST_ANSWER_TOKENS : Number.MAX_SAFE_INTEGER } = question;
    const remote = this.#remote();
    if (remote !== null) {
      return this.#withMessages<ChatOutcome>(remote, question, async (request) => {
        if (!(await this.#hasRoom(question, remote, request.promptTokens))) return this.#tooLong(question, remote);
        begin();
        const growing = new GrowingAnswer(onPieces);
        const options = { ...SAMPLING, maxTokens, temperature, think: question.think ?? true };
        const result = await remote.answer(request, options, (pieces) => growing.take(pieces), signal);
        return { kind: 'answered', answer: growing.end(result, request) };
      });
    }
    return this.#withRequest<ChatOutcome>(question, async (request, asked) => {
      const { prompt, promptTokens, droppedTurns, thinkingOpen } = request;
      const { model, options } = asked;
      if (!(await this.#hasRoom(question, model, promptTokens))) return this.#tooLong(question, model);
      const { format, spelledTokens, endTokens, endTexts } = model.answers;
      begin();
      const reader = readAnswer(format, thinkingOpen, options.tools);
      const growing = new GrowingAnswer(onPieces);
      const forced = mustCall && options.tools.length > 0 && !thinkingOpen;
      const result = await this.#generate(
        asked,
        {
          ...inSlot(prompt, asked.engine),
          // A model that can forget its oldest part goes on where the context is full.
          ...(model.canShiftContext && asLongAs === null
            ? { maxTokens, whenContextFull: 'shift' }
            : { maxTokens: Math.min(maxTokens, model.contextLength - promptTokens) }),
          stop: endTexts,
          stopTokens: endTokens,
          spelledTokens,
          sampling: { ...SAMPLING, temperature, seed: Math.floor(Math.random() * 2 ** 31) },
          ...(forced ? { begin: await model.callOpening() } : {}),
        },
        (text) => growing.take(reader.push(text)),
        signal,
      );
      growing.take(reader.end());
      const answer = growing.end(result, request);
      const isWhole = answer.ending === 'complete' && answer.toolCalls.length === 0 && droppedTurns === 0;
      if (isWhole) void this.#prepare(asked, answer);
      return { kind: 'answered', answer };
    });
  }

  /** Ends all answers where they are, and the preparation of the next question. */
  stop(): void {
    this.#preparation.abort();
    this.#answering.abort();
    this.#answering = new AbortController();
  }

  async #withRequest<T>(
    question: Question,
    use: (request: ChatRequest, asked: Asked) => Promise<T>,
  ): Promise<T | Refused> {
    const found = await this.#find();
    if (found.kind === 'refused') return found;
    const { model } = found;
    const { messages, think = true, tools = [] } = question;
    try {
      const canCall = model.answers.abilities.tools;
      const normalized = normalizeConversation(messages, canCall);
      if (normalized === null) return refused('badConversation', t('There is no question to answer.'));
      const options = { think, tools: canCall ? tools : [] };
      const request = await model.request(normalized, options);
      if (request !== null) return await use(request, { ...found, messages: normalized, options });
      return await this.#tooLong(question, model);
    } catch (error) {
      if (error instanceof TemplateError) return templateUnusable(model.name, error);
      return refused('engineFailed', toEngineError(error).message);
    }
  }

  /** The remote model that answers; null if the model runs in this process, or if there is none. */
  #remote(): MessagesChat | null {
    const { client } = this.#engines.current.host;
    const { facts } = client;
    if (facts?.kind !== 'remote' || !facts.chat) return null;
    const chat = this.#remotes.get(facts) ?? new MessagesChat(client, facts);
    this.#remotes.set(facts, chat);
    return chat;
  }

  /** Like `#withRequest`, for a model that takes messages. */
  async #withMessages<T>(
    chat: MessagesChat,
    question: Question,
    use: (request: MessagesRequest) => Promise<T>,
  ): Promise<T | Refused> {
    const conversation = normalizeConversation(question.messages, false);
    if (conversation === null) return refused('badConversation', t('There is no question to answer.'));
    try {
      const request = await chat.request(conversation);
      return request === null ? await this.#tooLong(question, chat) : await use(request);
    } catch (error) {
      return refused('engineFailed', toEngineError(error).message);
    }
  }

  async #hasRoom({ asLongAs }: Question, { contextLength, thinking }: Room, promptTokens: number): Promise<boolean> {
    if (asLongAs === undefined) return true;
    return promptTokens + answerLength((await this.count(asLongAs)) ?? 0, thinking) <= contextLength;
  }

  async #tooLong({ messages, asLongAs }: Question, { name, promptBudget, contextLength, thinking }: Room) {
    if (asLongAs === undefined) return questionTooLong(promptBudget, name);
    const counts = await Promise.all([asLongAs, ...messages.map(({ text }) => text)].map((text) => this.count(text)));
    const [answer = 0, ...question] = counts.map((count) => count ?? 0);
    const tokens = question.reduce((sum, count) => sum + count, answerLength(answer, thinking));
    return rewriteTooLong(tokens, contextLength, name);
  }

  async #find(): Promise<Found | Refused> {
    const engine = this.#engines.current;
    const { client, lifecycle } = engine.host;
    const { state } = lifecycle;
    const { facts } = client;
    if (facts === null) {
      return state.kind === 'error' ? refused('engineFailed', state.error.message) : notReady();
    }
    const { name } = facts;
    if (facts.kind === 'remote' || facts.chatTemplate === null) return noTemplate(name);
    try {
      const opened = this.#models.get(facts) ?? this.#open(engine, facts, facts.chatTemplate);
      this.#models.set(facts, opened);
      return { kind: 'model', engine, model: await opened };
    } catch (error) {
      if (error instanceof TemplateError) return templateUnusable(name, error);
      this.#models.delete(facts);
      if (error instanceof RenderingFailed) return refused('engineFailed', error.message);
      // The model was unloaded meanwhile.
      return refused('notReady', toEngineError(error).message);
    }
  }

  async #open({ host, slot }: ChatEngine, facts: LocalModelFacts, source: string): Promise<ChatModel> {
    const eosToken = await this.#files.eosToken(facts.path);
    return ChatModel.open(facts, { source, render: this.#render }, chatContextLength(facts, slot), eosToken, {
      tokenize: (text, options) => host.client.tokenize(text, options),
      detokenize: (tokens, options) => host.client.detokenize(tokens, options),
    });
  }

  /** Facts of the model that answers, known even before its load. */
  async #known(): Promise<ChatModelFile | EngineErrorInfo | null> {
    const { unseenPath } = this.#engines;
    if (unseenPath !== null) return this.#files.describe(unseenPath);
    const { host, slot } = this.#engines.current;
    const facts = host.lifecycle.knownFacts;
    return facts?.kind === 'local' ? { ...facts, contextLength: chatContextLength(facts, slot) } : null;
  }

  async #generate(
    { engine, model }: Found,
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const whole = { ...request, speculation: this.#settings().speculation };
    return generateYielding(engine.host.client, this.#engines.moreUrgent, whole, model, onText, signal);
  }

  /**
   * Evaluates the conversation as the next prompt will contain it: without the thinking, and in that prompt's batches.
   * All other work goes first.
   */
  async #prepare(asked: Asked, { text }: ChatAnswer): Promise<void> {
    const { engine, model, messages, options } = asked;
    // Another answer may have ended meanwhile, and nothing would stop its own.
    this.#preparation.abort();
    this.#preparation = new AbortController();
    const { signal } = this.#preparation;
    try {
      const said: readonly ChatMessage[] = [...messages, { role: 'assistant', text }];
      const prompt = await model.continuation(said, options);
      if (signal.aborted || (await model.countPrompt(prompt)) > model.promptBudget) return;
      const request = { ...inSlot(prompt, engine), priority: 'background', maxTokens: 0 } as const;
      await this.#generate(asked, request, () => undefined, signal);
    } catch (error) {
      this.#log.debug(`The conversation was not read ahead: ${toEngineError(error).message}`);
    }
  }
}

function inSlot(
  { parts, sectionBoundaries }: ChatRequest['prompt'],
  { slot }: ChatEngine,
): Pick<GenerateRequest, 'prompt' | 'sectionBoundaries' | 'slot' | 'priority'> {
  return { prompt: parts, sectionBoundaries, slot, priority: 'chat' };
}

function rewriteTooLong(tokens: number, contextLength: number, name: string): Refused {
  return refused(
    'questionTooLong',
    t(
      'The selection is too long: the question and its answer take about {0} tokens, {1} has room for {2}. Select less.',
      tokens,
      name,
      contextLength,
    ),
  );
}

function questionTooLong(promptBudget: number, name: string): Refused {
  return refused(
    'questionTooLong',
    t('The question and its attachments are too long: {1} has room for {0} tokens.', promptBudget, name),
  );
}

function cannotChat({ refusal }: Refused, instead: ModelOffer | null = null): ChatCapabilities {
  return { kind: 'cannotChat', refusal, instead };
}

function off(): Refused {
  return refused('off', t('Inkling is off.'));
}

function notReady(message = t('No model is loaded yet.')): Refused {
  return refused('notReady', message);
}

function noTemplate(name: string): Refused {
  return refused('noTemplate', t('{0} cannot chat: it has no chat template.', name));
}

function templateUnusable(name: string, { message }: TemplateError): Refused {
  return refused('templateUnusable', t('{0}: {1}.', name, message));
}

/** @param message of an error, which mostly has no full stop at its end, or a sentence */
function refused(reason: ChatRefusalReason, message: string): Refused {
  return { kind: 'refused', refusal: { reason, message: message.endsWith('.') ? message : `${message}.` } };
}
