import { Template } from '@huggingface/jinja';
import { type ChatMessage, type ChatTool, t } from '../../protocol/index.js';
import { quote, quoteAll, splitQuoted } from './quoted-text.js';

/** A rendered conversation: text that the template wrote, texts that it was shown, and the places of messages. */
export type RenderedPiece =
  | { readonly kind: 'template' | 'quoted'; readonly text: string }
  /** `json`: within a JSON string. */
  | { readonly kind: 'message'; readonly index: number; readonly json: boolean };

export interface RenderOptions {
  /** Whether the model may think before it answers; without effect where its template does not ask. */
  readonly think: boolean;
  /** End with what begins an answer. */
  readonly addGenerationPrompt: boolean;
  /** What the model may call. */
  readonly tools: readonly ChatTool[];
}

/** How the template spells the two tokens that it may name; empty for a model without them. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

export class TemplateError extends Error {}

// A message is rendered as its index between two private-use characters, so the template sees no text of the user.
const OPEN = '\uE000';
const CLOSE = '\uE001';
const PLACEHOLDER = /\uE000(\d+)\uE001/g;

/** How a conversation is given to the template. */
interface Form {
  /** A message's content: most want a string, some a list of parts. */
  readonly content: (placeholder: string) => unknown;
  /** The system message is the beginning of the first question, for templates without that role. */
  readonly merged: boolean;
  /** The input of a call: most want a value, some its JSON. */
  readonly input: (input: object) => unknown;
}

const CONTENTS: readonly Form['content'][] = [
  (placeholder) => placeholder,
  (placeholder) => (placeholder === '' ? [] : [{ type: 'text', text: placeholder }]),
];
const INPUTS: readonly Form['input'][] = [(input) => quoteAll(input), (input) => quote(JSON.stringify(input))];

/**
 * A model's own chat template (Jinja, from its GGUF). It never sees what anybody said: each message is a placeholder,
 * and what comes back are the template's own texts with the messages' places between them. Tools and calls it does see,
 * as quoted-text.ts marks them.
 */
export class ChatTemplate {
  readonly #template: Template;
  readonly #tokens: TemplateTokens;

  /** @throws TemplateError for what is no Jinja */
  constructor(
    readonly source: string,
    tokens: TemplateTokens,
  ) {
    this.#tokens = tokens;
    try {
      this.#template = new Template(source);
    } catch (error) {
      throw new TemplateError(t('its chat template cannot be read: {0}', reason(error)));
    }
  }

  /**
   * @param messages of alternating roles, a system message possibly first; calls with their results behind them
   * @returns each message exactly once and in order; system message and first question may share a place. Some templates
   * leave out what is said beside a call.
   * @throws TemplateError where the template refuses the conversation or leaves a message out
   */
  render(messages: readonly ChatMessage[], options: RenderOptions): RenderedPiece[] {
    let failure: unknown = null;
    for (const form of formsFor(messages)) {
      try {
        return this.#attempt(messages, form, options);
      } catch (error) {
        failure ??= error;
      }
    }
    throw new TemplateError(t('its chat template cannot render this conversation: {0}', reason(failure)));
  }

  #attempt(
    messages: readonly ChatMessage[],
    form: Form,
    { think, addGenerationPrompt, tools }: RenderOptions,
  ): RenderedPiece[] {
    const rendered = this.#template.render({
      messages: templateMessages(messages, form),
      ...(tools.length === 0 ? {} : { tools: tools.map(templateTool) }),
      add_generation_prompt: addGenerationPrompt,
      bos_token: this.#tokens.bos,
      eos_token: this.#tokens.eos,
      enable_thinking: think,
      thinking: think,
    });
    const pieces = split(rendered);
    const places = pieces.flatMap((piece) => (piece.kind === 'message' ? [piece.index] : []));
    const expected = messages.flatMap((message, index) =>
      hasCalls(message) && !places.includes(index) ? [] : [index],
    );
    if (places.length !== expected.length || places.some((index, position) => index !== expected[position])) {
      throw new TemplateError(t('its chat template drops or reorders messages'));
    }
    return pieces;
  }
}

/** What the template writes behind the last message: all of `rendered` without messages. */
export function templateTail(pieces: readonly RenderedPiece[]): string {
  const last = pieces.at(-1);
  return last?.kind === 'template' ? last.text : '';
}

/** The simplest first. */
function formsFor(messages: readonly ChatMessage[]): Form[] {
  const inputs = messages.some(hasCalls) ? INPUTS : INPUTS.slice(0, 1);
  const merges = messages[0]?.role === 'system' ? [false, true] : [false];
  return CONTENTS.flatMap((content) => merges.flatMap((merged) => inputs.map((input) => ({ content, merged, input }))));
}

function templateMessages(messages: readonly ChatMessage[], { content, merged, input }: Form): object[] {
  const ids = callIds(messages);
  const shown = messages.map((message, index) => {
    const place = content(message.text === '' && hasCalls(message) ? '' : placeholder(index));
    const { role } = message;
    if (role === 'tool') {
      const { id, name } = ids.get(message.callId ?? '') ?? { id: '', name: '' };
      return { role, content: place, tool_call_id: id, name };
    }
    if (!hasCalls(message)) return { role, content: place };
    const calls = message.toolCalls?.map((call) => {
      const { id = '', name = '' } = ids.get(call.id) ?? {};
      return { id, type: 'function', function: { name, arguments: input(call.input) } };
    });
    return { role, content: place, tool_calls: calls };
  });
  if (!merged) return shown;
  const [, first, ...rest] = shown;
  return [{ ...first, content: content(`${placeholder(0)}\n\n${placeholder(1)}`) }, ...rest];
}

/** Ids of calls are anybody's: the template gets ones of nine letters and digits, which all of them accept. */
function callIds(
  messages: readonly ChatMessage[],
): ReadonlyMap<string, { readonly id: string; readonly name: string }> {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  return new Map(
    calls.map(({ id, name }, index) => [id, { id: `call${String(index).padStart(5, '0')}`, name: quote(name) }]),
  );
}

function templateTool({ name, description, inputSchema }: ChatTool): unknown {
  const parameters = inputSchema ?? { type: 'object', properties: {} };
  return quoteAll({ type: 'function', function: { name, description, parameters } });
}

function hasCalls({ toolCalls = [] }: ChatMessage): boolean {
  return toolCalls.length > 0;
}

function placeholder(index: number): string {
  return `${OPEN}${index}${CLOSE}`;
}

function split(rendered: string): RenderedPiece[] {
  const pieces: RenderedPiece[] = [];
  const addText = (text: string): void => {
    const parts = splitQuoted(text);
    if (parts === null) throw new TemplateError(t('its chat template splits tool texts'));
    for (const part of parts) pieces.push({ kind: part.quoted ? 'quoted' : 'template', text: part.text });
  };
  let end = 0;
  for (const match of rendered.matchAll(PLACEHOLDER)) {
    const after = match.index + match[0].length;
    addText(rendered.slice(end, match.index));
    const json = rendered[match.index - 1] === '"' && rendered[after] === '"';
    pieces.push({ kind: 'message', index: Number(match[1]), json });
    end = after;
  }
  addText(rendered.slice(end));
  return pieces;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
