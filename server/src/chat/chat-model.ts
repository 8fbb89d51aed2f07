import type { ChatConversation, ChatMessage } from '../../protocol/index.js';
import type { ModelFacts } from '../engine/engine.js';
import { buildChatPrompt, type ChatPrompt, TemplateTokenizer, type Vocabulary } from './chat-prompt.js';
import { ChatTemplate, type RenderOptions, templateTail } from './chat-template.js';
import { fitConversation } from './fit-conversation.js';
import { type ThinkingStyle, thinkingStyle } from './thinking.js';

/** Of the context, what is kept for the answer. */
const ANSWER_SHARE = 1 / 4;
const MOST_ANSWER_TOKENS = 2048;

/** What a template writes around each message, roughly; the prompt is counted exactly in the end. */
const TOKENS_AROUND_MESSAGE = 8;

/** Any conversation shows what follows an answer. */
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

/** How the loaded model is talked to: its template, its special tokens, what ends its answers. */
export class ChatModel {
  /** Tokens that conversation and answer share, and those that a conversation may take. */
  readonly contextLength: number;
  readonly promptBudget: number;

  private constructor(
    private readonly facts: ModelFacts,
    private readonly vocabulary: Vocabulary,
    private readonly template: ChatTemplate,
    private readonly tokenizer: TemplateTokenizer,
    readonly thinking: ThinkingStyle,
    readonly ends: AnswerEnds,
  ) {
    this.contextLength = facts.chatContextLength;
    this.promptBudget =
      this.contextLength - Math.min(MOST_ANSWER_TOKENS, Math.floor(this.contextLength * ANSWER_SHARE));
  }

  /**
   * @param source the model's chat template
   * @param eosToken -1 for none
   * @throws TemplateError
   */
  static async open(facts: ModelFacts, source: string, eosToken: number, vocabulary: Vocabulary): Promise<ChatModel> {
    const spell = (token: number) => (token < 0 ? '' : vocabulary.detokenize([token], { special: true }));
    const template = new ChatTemplate(source, { bos: await spell(facts.bosToken), eos: await spell(eosToken) });
    const tokenizer = new TemplateTokenizer(vocabulary);
    const ends = await answerEnds(template, tokenizer);
    return new ChatModel(facts, vocabulary, template, tokenizer, await visibleThinking(source, vocabulary), ends);
  }

  /**
   * What asks the last question, with as many of the older turns as fit.
   * @param messages as `normalizeConversation` leaves them
   * @returns null where the last question alone does not fit, with the system message
   * @throws TemplateError
   */
  async request(messages: readonly ChatMessage[], think: boolean): Promise<ChatRequest | null> {
    const counts = await Promise.all(
      messages.map(async ({ text }) => (await this.count(text)) + TOKENS_AROUND_MESSAGE),
    );
    let budget = this.promptBudget;
    for (;;) {
      const fitted = fitConversation(messages, counts, budget);
      const pieces = this.template.render(fitted.messages, { think, addGenerationPrompt: true });
      const prompt = await this.build(pieces, fitted.messages);
      const promptTokens = await this.countPrompt(prompt);
      const excess = promptTokens - this.promptBudget;
      if (excess <= 0) {
        const thinkingOpen = templateTail(pieces).trimEnd().endsWith(this.thinking.markers.open);
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

  /** What the next prompt will begin with, once the answer is known. */
  async continuation(messages: readonly ChatMessage[], options: RenderOptions): Promise<ChatPrompt> {
    return this.build(this.template.render(messages, options), messages);
  }

  async count(text: string): Promise<number> {
    return text === '' ? 0 : (await this.vocabulary.tokenize(text, { parseSpecial: false })).length;
  }

  async countPrompt({ parts }: ChatPrompt): Promise<number> {
    const counts = await Promise.all(parts.map((part) => (typeof part === 'number' ? 1 : this.count(part))));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  private build(
    pieces: ReturnType<ChatTemplate['render']>,
    messages: ChatConversation['messages'],
  ): Promise<ChatPrompt> {
    const { addBos, bosToken } = this.facts;
    return buildChatPrompt(pieces, messages, this.tokenizer, addBos && bosToken >= 0 ? bosToken : null);
  }
}

/** What ends an answer besides the vocabulary's own end tokens. */
export interface AnswerEnds {
  readonly tokens: readonly number[];
  readonly texts: readonly string[];
}

/** The template itself shows what it puts behind an answer; its first token, or text, is the answer's end. */
async function answerEnds(template: ChatTemplate, tokenizer: TemplateTokenizer): Promise<AnswerEnds> {
  const tail = templateTail(template.render(SAMPLE, { think: true, addGenerationPrompt: false }));
  const parts = await tokenizer.parts(tail);
  const end = parts.find((part) => typeof part === 'number' || part.trim() !== '');
  if (end === undefined) return { tokens: [], texts: [] };
  return typeof end === 'number' ? { tokens: [end], texts: [] } : { tokens: [], texts: [end.trim()] };
}

/** A marker that is a control token is not written as text, so what it encloses cannot be told apart. */
async function visibleThinking(source: string, vocabulary: Vocabulary): Promise<ThinkingStyle> {
  const style = thinkingStyle(source);
  if (style.kind === 'none') return style;
  const { close } = style.markers;
  const tokens = await vocabulary.tokenize(close, { parseSpecial: true });
  const written = await vocabulary.detokenize(tokens, { special: false });
  return written.trim() === close ? style : { ...style, kind: 'none' };
}
