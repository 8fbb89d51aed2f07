import { toLineFeeds } from '../../../server/protocol/index.js';
import { afterChange, type LineChange, type PendingHunk } from './pending-hunks.js';

/** The hunks of one edit: those that wait for the user, and those that are being taken back. */
export class HunkReview {
  #pending: readonly PendingHunk[];
  /** They wait again if the document cannot be edited. */
  #leaving: readonly PendingHunk[] = [];
  /** Of the document, with line feeds. */
  #text: string;

  /** @param text of the document, with the new lines */
  constructor(pending: readonly PendingHunk[], text: string) {
    this.#pending = pending;
    this.#text = toLineFeeds(text);
  }

  /** In the order of the document. */
  get pending(): readonly PendingHunk[] {
    return this.#pending;
  }

  /** Nothing waits, and nothing can come back. */
  get isOver(): boolean {
    return this.#pending.length === 0 && this.#leaving.length === 0;
  }

  /**
   * Of switched line ends VS Code says that the whole text was replaced; that changes no line.
   *
   * @param text of the document after the changes
   */
  documentChanged(changes: readonly LineChange[], text: string): void {
    const before = this.#text;
    this.#text = toLineFeeds(text);
    if (this.#text === before) return;
    for (const change of changes) {
      this.#pending = afterChange(this.#pending, change);
      this.#leaving = afterChange(this.#leaving, change);
    }
  }

  keep(isChosen: (hunk: PendingHunk) => boolean): void {
    this.#pending = this.#pending.filter((hunk) => !isChosen(hunk));
  }

  /** @returns the hunks to take back, which no longer wait */
  take(isChosen: (hunk: PendingHunk) => boolean): readonly PendingHunk[] {
    const taken = this.#pending.filter(isChosen);
    this.keep(isChosen);
    this.#leaving = [...this.#leaving, ...taken];
    return taken;
  }

  /** @param isDone whether the document has the old lines again */
  settle(taken: readonly PendingHunk[], isDone: boolean): void {
    const wasTaken = ({ id }: PendingHunk): boolean => taken.some((hunk) => hunk.id === id);
    const back = isDone ? [] : this.#leaving.filter(wasTaken);
    this.#leaving = this.#leaving.filter((hunk) => !wasTaken(hunk));
    this.#pending = [...this.#pending, ...back].sort((left, right) => left.start - right.start || left.id - right.id);
  }
}
