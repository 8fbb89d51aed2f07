/** Prompts change by their last words only, so most of their texts were tokenized before. */
const MOST_TEXTS = 64;

/** The tokens of texts that were asked for last, so that a key costs one short question to the tokenizer at most. */
export class TokenCache {
  readonly #known = new Map<string, readonly number[]>();

  async get(text: string, tokenize: () => Promise<readonly number[]>): Promise<readonly number[]> {
    const known = this.#known.get(text);
    const tokens = known ?? (await tokenize());
    // The oldest is the first in the map.
    this.#known.delete(text);
    this.#known.set(text, tokens);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_TEXTS && oldest !== undefined) this.#known.delete(oldest);
    return tokens;
  }
}
