import { textHash } from '../util/text-hash.js';

/** Many long conversations. Each entry takes some hundred bytes. */
const MOST_TEXTS = 1024;

/** How many tokens recent texts have, without the texts: most messages of a conversation stay the same for long. */
export class TokenCounts {
  /** By hashes; the one that was asked for last is the last. */
  readonly #known = new Map<string, Promise<number>>();
  readonly #count: (text: string) => Promise<number>;

  constructor(count: (text: string) => Promise<number>) {
    this.#count = count;
  }

  of(text: string): Promise<number> {
    const hash = textHash(text);
    const known = this.#known.get(hash);
    const counted = known ?? this.#count(text);
    this.#known.delete(hash);
    this.#known.set(hash, counted);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_TEXTS && oldest !== undefined) this.#known.delete(oldest);
    if (known === undefined) {
      counted.catch(() => {
        if (this.#known.get(hash) === counted) this.#known.delete(hash);
      });
    }
    return counted;
  }
}
