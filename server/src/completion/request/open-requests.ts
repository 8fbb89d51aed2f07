/** Requests under way, by document. They end when it closes, whatever they wait for: a model that loads, another key. */
export class OpenRequests {
  readonly #underWay = new Map<string, Set<AbortController>>();

  /** @param work gets a signal that aborts with the given one, and when the document closes */
  async run<T>(uri: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const own = this.#underWay.get(uri) ?? new Set();
    this.#underWay.set(uri, own.add(ending));
    try {
      return await work(AbortSignal.any([signal, ending.signal]));
    } finally {
      own.delete(ending);
      if (own.size === 0 && this.#underWay.get(uri) === own) this.#underWay.delete(uri);
    }
  }

  closed(uri: string): void {
    for (const ending of this.#underWay.get(uri) ?? []) ending.abort();
    this.#underWay.delete(uri);
  }
}
