import type { ChatMessage } from '../../../protocol/index.js';
import type { RenderedPiece } from './chat-template.js';

/** What the engine evaluates: texts that it never parses for special tokens, and token ids. */
export interface ChatPrompt {
  readonly parts: readonly (string | number)[];
  /** Indices of parts before which the engine keeps its state: the start of each message and of the answer. */
  readonly sectionBoundaries: readonly number[];
}

/** The vocabulary's functions that a prompt needs. */
export interface Vocabulary {
  tokenize(text: string, options: { readonly parseSpecial: boolean }): Promise<readonly number[]>;
  detokenize(tokens: readonly number[], options: { readonly special: boolean }): Promise<string>;
}

/** Finds the special tokens in a template's own texts, and caches them because texts recur from turn to turn. */
export class TemplateTokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #known = new Map<string, readonly (string | number)[]>();
  /** The text of each special token; null for other tokens. */
  readonly #spellings = new Map<number, string | null>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The text with its special tokens as ids. Never for text that a user or a model wrote. */
  async parts(text: string): Promise<readonly (string | number)[]> {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const parts: (string | number)[] = [];
    let rest = text;
    for (const token of await this.#vocabulary.tokenize(text, { parseSpecial: true })) {
      const spelling = await this.#spelling(token);
      const at = spelling === null ? -1 : rest.indexOf(spelling);
      if (spelling === null || at < 0) continue;
      if (at > 0) parts.push(rest.slice(0, at));
      parts.push(token);
      rest = rest.slice(at + spelling.length);
    }
    if (rest !== '') parts.push(rest);
    this.#known.set(text, parts);
    return parts;
  }

  async #spelling(token: number): Promise<string | null> {
    const known = this.#spellings.get(token);
    if (known !== undefined) return known;
    const visible = await this.#vocabulary.detokenize([token], { special: false });
    const spelled = await this.#vocabulary.detokenize([token], { special: true });
    const spelling = visible === '' && spelled !== '' ? spelled : null;
    this.#spellings.set(token, spelling);
    return spelling;
  }
}

/**
 * Builds the prompt from a rendered conversation. Special tokens come from the template alone; a message's text stays
 * text, whatever it spells. Adjacent texts become one part, so that they are tokenized together, as in the model's
 * training.
 *
 * @param bosToken the model's first token, if the template has not written it; null for none
 * @param leadingBlank whether the model was trained with a blank before each text that follows a special token
 */
export async function buildChatPrompt(
  pieces: readonly RenderedPiece[],
  messages: readonly ChatMessage[],
  tokenizer: TemplateTokenizer,
  bosToken: number | null,
  leadingBlank: boolean,
): Promise<ChatPrompt> {
  const [first] = pieces[0]?.kind === 'template' ? await tokenizer.parts(pieces[0].text) : [];
  const parts: (string | number)[] = bosToken === null || first === bosToken ? [] : [bosToken];
  const sectionBoundaries = new Set<number>();
  const append = (part: string | number): void => {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(leadingBlank && typeof part === 'string' ? ` ${part}` : part);
  };
  const markLastToken = (): void => {
    const at = parts.findLastIndex((part) => typeof part === 'number');
    if (at > 0) sectionBoundaries.add(at);
  };
  for (const piece of pieces) {
    if (piece.kind === 'message') {
      markLastToken();
      const { text = '' } = messages[piece.index] ?? {};
      append(piece.json ? JSON.stringify(text).slice(1, -1) : text);
    } else if (piece.kind === 'quoted') {
      append(piece.text);
    } else {
      for (const part of await tokenizer.parts(piece.text)) append(part);
    }
  }
  // The answer begins after the last special token.
  markLastToken();
  return { parts, sectionBoundaries: [...sectionBoundaries] };
}
