import type { ChatPiece } from '../../protocol/index.js';

/** Twenty messages a second look like a stream; more would only cost time. */
const INTERVAL_MS = 50;

/** Collects streamed pieces and sends them in one message per interval. */
export class PieceBatches {
  #pieces: ChatPiece[] = [];
  #timer: NodeJS.Timeout | null = null;

  readonly #send: (pieces: readonly ChatPiece[]) => void;

  constructor(send: (pieces: readonly ChatPiece[]) => void) {
    this.#send = send;
  }

  push(pieces: readonly ChatPiece[]): void {
    for (const piece of pieces) {
      const last = this.#pieces.at(-1);
      if (piece.kind !== 'toolCall' && last?.kind === piece.kind)
        this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + piece.text };
      else this.#pieces.push(piece);
    }
    if (this.#pieces.length > 0) this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS);
  }

  /** Sends the collected pieces now. Called before the end is announced, so that nothing follows it. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pieces.length > 0) this.#send(this.#pieces.splice(0));
  }
}
