import type { ChatPiece } from '../../protocol/index.js';

/** Twenty messages a second read as a stream; more only cost. */
const INTERVAL_MS = 50;

/** Collects what streams, so that one message carries what came within an interval. */
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

  /** Sends what is there now; before the end is announced, so that nothing comes behind it. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pieces.length > 0) this.#send(this.#pieces.splice(0));
  }
}
