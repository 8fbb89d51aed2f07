import type { DocumentChange } from '../../completion/cursor/edit-kind.js';
import { smallestChange } from '../../util/smallest-change.js';

const REMEMBERED = 64;

interface MadeEdit {
  readonly uri: string;
  /** What the edit replaced by what, without the text that both share. */
  readonly removed: string;
  readonly inserted: string;
}

/** The next edits that the user has made, to notice one that is taken back. */
export class MadeEdits {
  #latest: readonly MadeEdit[] = [];

  add(uri: string, { removed, inserted }: DocumentChange): void {
    this.#latest = [...this.#latest, essence(uri, removed, inserted)].slice(-REMEMBERED);
  }

  /** Whether an undo takes one of them back. It is none any more then. */
  takeBack(uri: string, changes: readonly DocumentChange[]): boolean {
    const undone = changes.map(({ removed, inserted }) => essence(uri, inserted, removed));
    const left = this.#latest.filter((made) => !undone.some((each) => isSame(made, each)));
    const isTaken = left.length < this.#latest.length;
    this.#latest = left;
    return isTaken;
  }

  closed(uri: string): void {
    this.#latest = this.#latest.filter((made) => made.uri !== uri);
  }
}

function essence(uri: string, removed: string, inserted: string): MadeEdit {
  const { start, end, newText } = smallestChange(removed, inserted) ?? { start: 0, end: 0, newText: '' };
  return { uri, removed: removed.slice(start, end), inserted: newText };
}

function isSame(one: MadeEdit, other: MadeEdit): boolean {
  return one.uri === other.uri && one.removed === other.removed && one.inserted === other.inserted;
}
