/**
 * Text that comes in pieces and is held until a marker comes. Looks at each piece once: an answer may have as many pieces
 * as characters.
 */
export class HeldText {
  readonly #markers: RegExp | null;
  readonly #longestStart: number;
  #parts: string[] = [];
  #length = 0;
  /** The end of the text, where a marker may have begun. */
  #end = '';

  /** @param markers none: the text is held to its end */
  constructor(markers: readonly string[]) {
    const literals = markers.map((marker) => marker.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    this.#markers = literals.length === 0 ? null : new RegExp(literals.join('|'));
    this.#longestStart = Math.max(1, ...markers.map(({ length }) => length)) - 1;
  }

  get length(): number {
    return this.#length;
  }

  /** @returns the text before the first marker, and from there on; null while there is none */
  push(piece: string): { readonly before: string; readonly from: string } | null {
    const searched = this.#end + piece;
    const at = this.#markers === null ? -1 : searched.search(this.#markers);
    this.#parts.push(piece);
    this.#length += piece.length;
    this.#end = searched.slice(Math.max(0, searched.length - this.#longestStart));
    if (at < 0) return null;
    const start = this.#length - searched.length + at;
    const text = this.take();
    return { before: text.slice(0, start), from: text.slice(start) };
  }

  /** All of the text, which is then held no longer. */
  take(): string {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#end = '';
    return text;
  }
}
