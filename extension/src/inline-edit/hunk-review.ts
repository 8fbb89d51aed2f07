import { toLineFeeds } from '../../../server/protocol/index.js';
import { afterChange, belowWholeLine, type LineChange, type PendingHunk, sinceOf } from './pending-hunks.js';

/** An edit that is in a document. */
export interface MadeEdit {
  /** The document's text before the edit. */
  readonly before: string;
  /** The id of its first hunk, higher than those of earlier edits. */
  readonly firstId: number;
  /** All that wait now, and those that waited before the edit. */
  readonly hunks: readonly PendingHunk[];
  readonly earlier: readonly PendingHunk[];
  /** The document's text with the new lines. */
  readonly text: string;
}

/** An edit of which a hunk may be left. */
interface HeldEdit {
  /** The document's text before it, with line feeds. */
  readonly before: string;
  /** The ids of its hunks. */
  readonly first: number;
  readonly last: number;
  /** The hunks that waited before it and were not kept since. */
  readonly earlier: readonly PendingHunk[];
}

/** Texts that a review holds. Undo of an edit whose text it lacks is followed by its changes alone. */
const MOST_TEXTS = 16;

/** The hunks of a document's edits: those that wait for the user, and those that are being taken back. */
export class HunkReview {
  /** The oldest first. */
  #edits: readonly HeldEdit[];
  #pending: readonly PendingHunk[];
  /** They wait again if the document cannot be edited. */
  #leaving: readonly PendingHunk[] = [];
  /** The document's text, with line feeds. */
  #text: string;

  constructor(edit: MadeEdit) {
    this.#edits = [held(edit)];
    this.#pending = edit.hunks;
    this.#text = toLineFeeds(edit.text);
  }

  /** The document's text before the oldest edit of which a hunk waits, with line feeds. */
  get original(): string {
    return this.#edits[0]?.before ?? '';
  }

  /** The document's text, with line feeds. */
  get text(): string {
    return this.#text;
  }

  /** How many texts of the document it holds. */
  get rememberedTexts(): number {
    return this.#edits.length;
  }

  /** In the order of the document. */
  get pending(): readonly PendingHunk[] {
    return this.#pending;
  }

  /** Nothing waits, and nothing can come back. */
  get isOver(): boolean {
    return this.#pending.length === 0 && this.#leaving.length === 0;
  }

  /** Another edit, of whose changes `documentChanged` may know already. */
  add(edit: MadeEdit): void {
    this.#edits = shortened([...this.#edits, held(edit)]);
    this.#pending = edit.hunks;
    this.#text = toLineFeeds(edit.text);
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
    // Such as by Undo, or by the file on the disk.
    const undone = this.#edits.find(({ before: earlier }) => earlier === this.#text);
    if (undone === undefined) {
      // Among several changes, an earlier one may have moved the line of a later one.
      const known = changes.length === 1 ? changes.map((change) => belowWholeLine(change, before)) : changes;
      this.#pending = this.#afterChanges(this.#pending, known);
      this.#leaving = this.#afterChanges(this.#leaving, known);
    } else {
      this.#pending = undone.earlier;
      this.#leaving = [];
      this.#edits = this.#edits.slice(0, this.#edits.indexOf(undone));
    }
    this.#forget();
  }

  keep(isChosen: (hunk: PendingHunk) => boolean): void {
    const isLeft = (hunk: PendingHunk): boolean => !isChosen(hunk);
    this.#pending = this.#pending.filter(isLeft);
    this.#edits = this.#edits.map((edit) => ({ ...edit, earlier: edit.earlier.filter(isLeft) }));
    this.#forget();
  }

  /** @returns the hunks to take back, which no longer wait */
  take(isChosen: (hunk: PendingHunk) => boolean): readonly PendingHunk[] {
    const taken = this.#pending.filter(isChosen);
    this.#leaving = [...this.#leaving, ...taken];
    this.#pending = this.#pending.filter((hunk) => !isChosen(hunk));
    return taken;
  }

  /** @param isDone whether the document has the old lines again */
  settle(taken: readonly PendingHunk[], isDone: boolean): void {
    const wasTaken = ({ id }: PendingHunk): boolean => taken.some((hunk) => hunk.id === id);
    const back = isDone ? [] : this.#leaving.filter(wasTaken);
    this.#leaving = this.#leaving.filter((hunk) => !wasTaken(hunk));
    this.#pending = inOrder([...this.#pending, ...back]);
    this.#forget();
  }

  /** Removed lines that are back where they were no longer wait: a change beside the place may bring them. */
  #afterChanges(hunks: readonly PendingHunk[], changes: readonly LineChange[]): readonly PendingHunk[] {
    const besideChange = new Set<number>();
    let left = hunks;
    for (const change of changes) {
      for (const { id, start, end } of left) {
        const isBeside = start === end && (change.start === start || change.end === start - 1);
        if (isBeside && (change.growth > 0 || change.end > change.start)) besideChange.add(id);
      }
      left = afterChange(left, change);
    }
    if (besideChange.size === 0) return left;
    const lines = this.#text.split('\n');
    return left.filter(({ id, start, oldLines }) => {
      const isAt = (line: number) => oldLines.every((old, index) => lines[line + index] === old);
      return !besideChange.has(id) || !(isAt(start) || isAt(start - oldLines.length));
    });
  }

  #forget(): void {
    const left = [...this.#pending, ...this.#leaving];
    this.#edits = this.#edits.filter(({ first, last }) =>
      left.some((hunk) => hunk.id >= first && sinceOf(hunk) <= last),
    );
  }
}

function held({ before, firstId, hunks, earlier }: MadeEdit): HeldEdit {
  const last = hunks.reduce((highest, { id }) => Math.max(highest, id), firstId - 1);
  return { before: toLineFeeds(before), first: firstId, last, earlier };
}

/** The second edit becomes a part of the first, whose text shows the differences. */
function shortened(edits: readonly HeldEdit[]): readonly HeldEdit[] {
  const [first, second, ...others] = edits;
  if (edits.length <= MOST_TEXTS || first === undefined || second === undefined) return edits;
  return [{ ...first, last: second.last }, ...others];
}

function inOrder(hunks: readonly PendingHunk[]): readonly PendingHunk[] {
  return [...hunks].sort((left, right) => left.start - right.start || left.id - right.id);
}
