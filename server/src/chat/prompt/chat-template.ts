import { type ChatMessage, type ChatTool, t } from '../../../protocol/index.js';
import type { RenderTemplate } from '../rendering/template-renderer.js';
import { quote, quoteAll, splitQuoted } from './quoted-text.js';

/** A piece of a rendered conversation: the template's text, a quoted text, or the place of a message. */
export type RenderedPiece =
  | { readonly kind: 'template' | 'quoted'; readonly text: string }
  /** `json`: inside a JSON string. */
  | { readonly kind: 'message'; readonly index: number; readonly json: boolean };

export interface RenderOptions {
  /** Whether the model may think before it answers; no effect if its template has no such switch. */
  readonly think: boolean;
  /** Whether to end with the start of an answer. */
  readonly addGenerationPrompt: boolean;
  /** Tools that the model may call. */
  readonly tools: readonly ChatTool[];
}

/** The text of the two tokens that the template may name; empty if the model lacks them. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

export class TemplateError extends Error {}

/** The template was not rendered, and is not to blame. Another attempt may succeed. */
export class RenderingFailed extends Error {}

/** No other form of the conversation would help. */
class UnusableTemplate extends TemplateError {}

/** Characters. The templates of known models have a tenth of it at most. */
const LONGEST_SOURCE = 2 ** 20;

// A message is rendered as its index between two private-use characters, so the template never sees the user's text.
const OPEN = '\uE000';
const CLOSE = '\uE001';
const PLACEHOLDER = /\uE000(\d+)\uE001/g;

/** The form in which the template gets a conversation. */
interface Form {
  /** A message's content: most templates expect a string, some a list of parts. */
  readonly content: (placeholder: string) => unknown;
  /** Puts the system message at the start of the first question, for templates without that role. */
  readonly merged: boolean;
  /** The input of a call: most templates expect a value, some its JSON. */
  readonly input: (input: object) => unknown;
}

const CONTENTS: readonly Form['content'][] = [
  (placeholder) => placeholder,
  (placeholder) => (placeholder === '' ? [] : [{ type: 'text', text: placeholder }]),
];
const INPUTS: readonly Form['input'][] = [(input) => quoteAll(input), (input) => quote(JSON.stringify(input))];

/**
 * A model's own chat template (Jinja, from its GGUF). It never sees the text of messages: it gets placeholders and
 * returns its own texts with the messages' places between them. It does see tools and calls, marked by quoted-text.ts.
 */
export class ChatTemplate {
  readonly #render: RenderTemplate;
  readonly #tokens: TemplateTokens;

  constructor(
    readonly source: string,
    tokens: TemplateTokens,
    render: RenderTemplate,
  ) {
    this.#tokens = tokens;
    this.#render = render;
  }

  /**
   * @param messages with alternating roles, possibly after a system message; results follow their calls
   * @returns each message exactly once and in order; system message and first question may share a place. Some
   * templates omit the text beside a call.
   * @throws TemplateError if the template is no Jinja, refuses the conversation, omits a message, or takes too long
   * @throws RenderingFailed
   */
  async render(messages: readonly ChatMessage[], options: RenderOptions): Promise<RenderedPiece[]> {
    let failure: unknown = null;
    for (const form of formsFor(messages)) {
      try {
        return await this.#attempt(messages, form, options);
      } catch (error) {
        if (error instanceof UnusableTemplate || error instanceof RenderingFailed) throw error;
        failure ??= error;
      }
    }
    throw new TemplateError(t('its chat template cannot render this conversation: {0}', reason(failure)));
  }

  async #attempt(
    messages: readonly ChatMessage[],
    form: Form,
    { think, addGenerationPrompt, tools }: RenderOptions,
  ): Promise<RenderedPiece[]> {
    const rendered = await this.#text({
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
    const placed = new Set(places);
    const expected = messages.flatMap((message, index) => (hasCalls(message) && !placed.has(index) ? [] : [index]));
    if (places.length !== expected.length || places.some((index, position) => index !== expected[position])) {
      throw new TemplateError(t('its chat template drops or reorders messages'));
    }
    return pieces;
  }

  async #text(variables: Readonly<Record<string, unknown>>): Promise<string> {
    const { source } = this;
    if (source.length > LONGEST_SOURCE) throw new UnusableTemplate(t('its chat template is too long'));
    const rendered = await this.#render({ source, variables });
    switch (rendered.kind) {
      case 'text':
        return rendered.text;
      case 'syntax':
        throw new UnusableTemplate(t('its chat template cannot be read: {0}', rendered.message));
      case 'size':
        throw new UnusableTemplate(t('its chat template writes too much'));
      case 'limit':
        throw new UnusableTemplate(t('its chat template takes too much time or memory'));
      case 'machine':
        throw new RenderingFailed(t('The chat template was not rendered: {0}. Try again.', rendered.message));
      case 'render':
        throw new TemplateError(rendered.message);
    }
  }
}

/** The template's text after the last message: all of `rendered` without messages. */
export function templateTail(pieces: readonly RenderedPiece[]): string {
  const last = pieces.at(-1);
  return last?.kind === 'template' ? last.text : '';
}

/** Simplest first. */
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

/** Ids of calls may have any form. The template gets ids of nine letters and digits, which every template accepts. */
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
