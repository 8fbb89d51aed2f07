/** VS Code closes a renamed document, opens it again and tells of the new name, in any order, within this time. */
const TIME_LIMIT_MS = 10_000;

/** What is held for documents, by their addresses, while their files get other names. */
export class RenamedFiles<Held> {
  /** What closed documents had, by their address. */
  readonly #closed = new Map<string, Held>();
  /** What waits for a document, by its new address. */
  readonly #awaited = new Map<string, Held>();
  readonly #timers = new Set<NodeJS.Timeout>();

  closed(address: string, held: Held): void {
    this.#keep(this.#closed, address, held);
  }

  /**
   * @param before address of a file, of a notebook with cells in it, or of a folder with files in it
   * @param open what is held for open documents
   */
  renamed(before: string, after: string, open: ReadonlyMap<string, Held>): void {
    for (const [address, held] of [...this.#closed, ...open]) {
      if (address !== before && !['/', '#'].some((sign) => address.startsWith(before + sign))) continue;
      this.#closed.delete(address);
      this.#keep(this.#awaited, after + address.slice(before.length), held);
    }
  }

  get isAwaiting(): boolean {
    return this.#awaited.size > 0;
  }

  /** What was held for the document that has this address now; null for nothing. */
  take(address: string): Held | null {
    const held = this.#awaited.get(address) ?? null;
    this.#awaited.delete(address);
    return held;
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#closed.clear();
    this.#awaited.clear();
  }

  #keep(place: Map<string, Held>, address: string, held: Held): void {
    place.set(address, held);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (place.get(address) === held) place.delete(address);
    }, TIME_LIMIT_MS);
    this.#timers.add(timer);
  }
}
