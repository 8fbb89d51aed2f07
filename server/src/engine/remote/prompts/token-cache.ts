import { tokensOf } from '../../../util/json.js';
import { protocolError } from '../http/remote-error.js';

/** Only the end of a prompt changes from key to key, so most of its texts were tokenized before. */
const MOST_TEXTS = 64;

/** The tokens of recent texts, so that a key costs at most one short question to the tokenizer. */
export class TokenCache {
  readonly #known = new Map<string, readonly number[]>();
  readonly #tokenize: (text: string, signal: AbortSignal) => Promise<readonly number[]>;

  /** @param tokenize asks the server, and reads no special tokens in the text */
  constructor(tokenize: (text: string, signal: AbortSignal) => Promise<readonly number[]>) {
    this.#tokenize = tokenize;
  }

  /** A prompt of texts and tokens as tokens alone. */
  async idsOf(prompt: readonly (string | number)[], signal: AbortSignal): Promise<readonly number[]> {
    const ids: number[] = [];
    for (const part of prompt) {
      if (typeof part === 'number') ids.push(part);
      else for (const id of await this.#tokensOf(part, signal)) ids.push(id);
    }
    return ids;
  }

  async #tokensOf(text: string, signal: AbortSignal): Promise<readonly number[]> {
    const tokens = this.#known.get(text) ?? (await this.#tokenize(text, signal));
    // The oldest entry is the first in the map.
    this.#known.delete(text);
    this.#known.set(text, tokens);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_TEXTS && oldest !== undefined) this.#known.delete(oldest);
    return tokens;
  }
}

/** Beyond the bytes of a text, for the blanks that a vocabulary adds. */
const MORE_TOKENS = 8;

/**
 * A server's answer to "what are the tokens of this text?". No vocabulary makes more tokens than the text has bytes.
 * @throws EngineError
 */
export function tokensOfText(answer: unknown, text: string, host: string): readonly number[] {
  const tokens = tokensOf(answer);
  if (tokens === null) throw protocolError(host, '/tokenize gave no list of tokens');
  if (tokens.length > Buffer.byteLength(text) + MORE_TOKENS) {
    throw protocolError(host, '/tokenize gave more tokens than the text has bytes');
  }
  return tokens;
}
