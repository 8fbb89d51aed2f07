import type { ChatMessage, ChatTool } from '../../protocol/index.js';
import type { LocalModelFacts } from '../engine/port/model-facts.js';
import { someAtATime } from '../util/some-at-a-time.js';
import { type AnswerFormat, answerFormat, formatMarkers } from './answer/answer-format.js';
import { callOpening } from './answer/tool-format.js';
import { type ChatAbilities, chatAbilities, promptBudget } from './chat-abilities.js';
import { buildChatPrompt, type ChatPrompt, TemplateTokenizer, type Vocabulary } from './prompt/chat-prompt.js';
import { ChatTemplate, type RenderedPiece, templateTail } from './prompt/chat-template.js';
import { fitConversation } from './prompt/fit-conversation.js';
import type { RenderTemplate } from './rendering/template-renderer.js';

/** Estimated tokens that a template adds to each message; the final prompt is counted exactly. */
export const TOKENS_AROUND_MESSAGE = 8;

/** Each may be a question to a remote server, on a connection of its own, or to the window that has the model. */
export const MOST_COUNTED_AT_ONCE = 16;

/** Longer than any text on average: a longer message cannot fit, so nobody counts its tokens. */
const MOST_CHARACTERS_PER_TOKEN = 32;

/** Any conversation will do to see what a template writes after an answer. */
const SAMPLE: readonly ChatMessage[] = [
  { role: 'user', text: 'question' },
  { role: 'assistant', text: 'answer' },
];

export interface ChatRequest {
  readonly prompt: ChatPrompt;
  readonly promptTokens: number;
  readonly droppedTurns: number;
  /** The prompt's end has opened the model's thinking. */
  readonly thinkingOpen: boolean;
}

/** The options that stay the same from turn to turn. */
export interface RequestOptions {
  readonly think: boolean;
  readonly tools: readonly ChatTool[];
}

/** The form of answers, and what ends them. */
export interface AnswerRules {
  readonly format: AnswerFormat;
  readonly abilities: ChatAbilities;
  /** Special tokens with a meaning in an answer. */
  readonly spelledTokens: readonly number[];
  /** Tokens that end an answer besides the vocabulary's own end tokens. */
  readonly endTokens: readonly number[];
  readonly endTexts: readonly string[];
}

/** A template, and what renders it. */
export interface JinjaTemplate {
  readonly source: string;
  readonly render: RenderTemplate;
}

/** The loaded model's template, special tokens and answers. */
export class ChatModel {
  /** The most tokens of the context that a conversation may take. */
  readonly promptBudget: number;
  readonly #tokenizer: TemplateTokenizer;

  readonly #vocabulary: Vocabulary;
  readonly #template: ChatTemplate;

  private constructor(
    readonly facts: LocalModelFacts,
    vocabulary: Vocabulary,
    template: ChatTemplate,
    /** Tokens that conversation and answer share. */
    readonly contextLength: number,
    readonly answers: AnswerRules,
  ) {
    this.#vocabulary = vocabulary;
    this.#template = template;
    this.promptBudget = promptBudget(contextLength);
    this.#tokenizer = new TemplateTokenizer(vocabulary);
  }

  /**
   * @param jinja the model's chat template, and what renders it
   * @param contextLength tokens that conversation and answer share
   * @param eosToken null for none
   * @throws TemplateError
   * @throws RenderingFailed
   */
  static async open(
    facts: LocalModelFacts,
    { source, render }: JinjaTemplate,
    contextLength: number,
    eosToken: number | null,
    vocabulary: Vocabulary,
  ): Promise<ChatModel> {
    const spell = (token: number | null) => (token === null ? '' : vocabulary.detokenize([token], { special: true }));
    const template = new ChatTemplate(source, { bos: await spell(facts.bosToken), eos: await spell(eosToken) }, render);
    const format = answerFormat(source);
    const ends = await answerEnds(template, new TemplateTokenizer(vocabulary));
    const abilities = await chatAbilities(source, render);
    const answers = {
      ...ends,
      format,
      abilities,
      spelledTokens: await spelledTokens(formatMarkers(format), vocabulary),
    };
    return new ChatModel(facts, vocabulary, template, contextLength, answers);
  }

  get name(): string {
    return this.facts.name;
  }

  get thinking(): ChatAbilities['thinking'] {
    return this.answers.abilities.thinking;
  }

  /** Whether an answer can go on where the context is full. */
  get canShiftContext(): boolean {
    return this.facts.canShiftContext;
  }

  /**
   * The prompt for the last question, with as many older turns as fit.
   *
   * @param messages as `normalizeConversation` returns them
   * @returns null if the last question and the system message alone do not fit
   * @throws TemplateError
   */
  async request(messages: readonly ChatMessage[], options: RequestOptions): Promise<ChatRequest | null> {
    const counts = await someAtATime(messages, MOST_COUNTED_AT_ONCE, async (message) => {
      const text = wholeText(message);
      return (this.#isTooLong(text) ? text.length : await this.count(text)) + TOKENS_AROUND_MESSAGE;
    });
    let budget = this.promptBudget;
    for (;;) {
      const fitted = fitConversation(messages, counts, budget);
      if (fitted.messages.some((message) => this.#isTooLong(wholeText(message)))) return null;
      const pieces = await this.#template.render(fitted.messages, { ...options, addGenerationPrompt: true });
      const prompt = await this.#build(pieces, fitted.messages);
      const promptTokens = await this.countPrompt(prompt);
      const excess = promptTokens - this.promptBudget;
      if (excess <= 0) {
        const thinkingOpen = templateTail(pieces).trimEnd().endsWith(this.answers.format.thinking.markers.open);
        return { prompt, promptTokens, droppedTurns: fitted.droppedTurns, thinkingOpen };
      }
      const turns = fitted.messages.filter(({ role }) => role === 'user').length;
      if (turns <= 1) return null;
      budget =
        Math.min(
          budget,
          counts.reduce((sum, count) => sum + count, 0),
        ) - Math.max(1, excess);
    }
  }

  /** The start of the next prompt, once the answer is known. */
  async continuation(messages: readonly ChatMessage[], options: RequestOptions): Promise<ChatPrompt> {
    const pieces = await this.#template.render(messages, { ...options, addGenerationPrompt: false });
    return this.#build(pieces, messages);
  }

  /** Tokens that only a call begins with; empty if the model does not call. */
  async callOpening(): Promise<readonly number[]> {
    const opening = callOpening(this.answers.format.tools);
    return opening === '' ? [] : this.#vocabulary.tokenize(opening, { parseSpecial: true });
  }

  async count(text: string): Promise<number> {
    return text === '' ? 0 : (await this.#vocabulary.tokenize(text, { parseSpecial: false })).length;
  }

  async countPrompt({ parts }: ChatPrompt): Promise<number> {
    const counts = await someAtATime(parts, MOST_COUNTED_AT_ONCE, async (part) =>
      typeof part === 'number' ? 1 : this.count(part),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  #isTooLong({ length }: string): boolean {
    return length > this.promptBudget * MOST_CHARACTERS_PER_TOKEN;
  }

  #build(pieces: readonly RenderedPiece[], messages: readonly ChatMessage[]): Promise<ChatPrompt> {
    const { addBos, bosToken, leadingBlank } = this.facts;
    return buildChatPrompt(pieces, messages, this.#tokenizer, addBos ? bosToken : null, leadingBlank);
  }
}

/** Approximately everything that a message adds to a prompt. */
function wholeText({ text, toolCalls = [] }: ChatMessage): string {
  return toolCalls.length === 0 ? text : text + JSON.stringify(toolCalls);
}

/** Takes the answer's end from the template: the first token, or text, that it writes after an answer. */
async function answerEnds(
  template: ChatTemplate,
  tokenizer: TemplateTokenizer,
): Promise<Pick<AnswerRules, 'endTokens' | 'endTexts'>> {
  const pieces = await template.render(SAMPLE, { think: true, addGenerationPrompt: false, tools: [] });
  const tail = templateTail(pieces);
  const parts = await tokenizer.parts(tail);
  const end = parts.find((part) => typeof part === 'number' || part.trim() !== '');
  if (end === undefined) return { endTokens: [], endTexts: [] };
  return typeof end === 'number' ? { endTokens: [end], endTexts: [] } : { endTokens: [], endTexts: [end.trim()] };
}

/** Markers that are tokens without text of their own. */
async function spelledTokens(markers: readonly string[], vocabulary: Vocabulary): Promise<readonly number[]> {
  const found = await Promise.all(
    markers.map(async (marker): Promise<number[]> => {
      const [token, ...more] = await vocabulary.tokenize(marker, { parseSpecial: true });
      if (token === undefined || more.length > 0) return [];
      return (await vocabulary.detokenize([token], { special: false })) === '' ? [token] : [];
    }),
  );
  return found.flat();
}
