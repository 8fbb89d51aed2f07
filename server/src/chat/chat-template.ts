import { Template } from '@huggingface/jinja';
import { type ChatMessage, t } from '../../protocol/index.js';

/** A rendered conversation: text that the template wrote, and the places of messages, by their index. */
export type RenderedPiece =
  | { readonly kind: 'template'; readonly text: string }
  | { readonly kind: 'message'; readonly index: number };

export interface RenderOptions {
  /** Whether the model may think before it answers; without effect where its template does not ask. */
  readonly think: boolean;
  /** End with what begins an answer. */
  readonly addGenerationPrompt: boolean;
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

/** How a message's content is given to the template: most want a string, some a list of parts. */
type ContentForm = (placeholder: string) => unknown;
const CONTENT_FORMS: readonly ContentForm[] = [
  (placeholder) => placeholder,
  (placeholder) => [{ type: 'text', text: placeholder }],
];

/**
 * A model's own chat template (Jinja, from its GGUF). It never sees what anybody said: each message is a placeholder,
 * and what comes back are the template's own texts with the messages' places between them.
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
   * @param messages of alternating roles, a system message possibly first
   * @returns each message exactly once and in order; system message and first question may share a place
   * @throws TemplateError where the template refuses the conversation or leaves a message out
   */
  render(messages: readonly ChatMessage[], options: RenderOptions): RenderedPiece[] {
    let failure: unknown = null;
    for (const form of CONTENT_FORMS) {
      for (const merged of messages[0]?.role === 'system' ? [false, true] : [false]) {
        try {
          return this.#attempt(messages, form, merged, options);
        } catch (error) {
          failure ??= error;
        }
      }
    }
    throw new TemplateError(t('its chat template cannot render this conversation: {0}', reason(failure)));
  }

  /** @param merged the system message is the beginning of the first question, for templates without that role */
  #attempt(
    messages: readonly ChatMessage[],
    form: ContentForm,
    merged: boolean,
    { think, addGenerationPrompt }: RenderOptions,
  ): RenderedPiece[] {
    const shown = messages
      .map(({ role }, index) => ({ role, content: form(placeholder(index)) }))
      .slice(merged ? 1 : 0)
      .map((message, index) =>
        merged && index === 0 ? { ...message, content: form(`${placeholder(0)}\n\n${placeholder(1)}`) } : message,
      );
    const rendered = this.#template.render({
      messages: shown,
      add_generation_prompt: addGenerationPrompt,
      bos_token: this.#tokens.bos,
      eos_token: this.#tokens.eos,
      enable_thinking: think,
    });
    const pieces = split(rendered);
    const places = pieces.flatMap((piece) => (piece.kind === 'message' ? [piece.index] : []));
    if (places.length !== messages.length || places.some((index, position) => index !== position)) {
      throw new TemplateError(t('it leaves messages out, or changes their order'));
    }
    return pieces;
  }
}

/** What the template writes before and between the messages, as one text: `rendered` without them. */
export function templateTail(pieces: readonly RenderedPiece[]): string {
  const last = pieces.at(-1);
  return last?.kind === 'template' ? last.text : '';
}

function placeholder(index: number): string {
  return `${OPEN}${index}${CLOSE}`;
}

function split(rendered: string): RenderedPiece[] {
  const pieces: RenderedPiece[] = [];
  let end = 0;
  for (const match of rendered.matchAll(PLACEHOLDER)) {
    if (match.index > end) pieces.push({ kind: 'template', text: rendered.slice(end, match.index) });
    pieces.push({ kind: 'message', index: Number(match[1]) });
    end = match.index + match[0].length;
  }
  if (end < rendered.length) pieces.push({ kind: 'template', text: rendered.slice(end) });
  return pieces;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
