import type { DocumentChange } from '../cursor/edit-kind.js';

/** A recent change of the document by the user. */
export interface RecentEdit {
  /** In UTF-16 units of the current document. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

const MAX_EDITS = 8;
/** Longer texts are not compared with suggestions. */
const MAX_LENGTH = 2000;
/** A longer deletion directly after the inserted text is a change of mind, not a corrected typo. */
const TYPO_LENGTH = 2;

/** What the user has recently deleted or replaced in each open document, and the text there now. */
export class RecentEdits {
  readonly #documents = new Map<string, readonly RecentEdit[]>();

  edited(uri: string, changes: readonly DocumentChange[]): void {
    this.#documents.set(uri, changes.reduce(withChange, this.of(uri)));
  }

  closed(uri: string): void {
    this.#documents.delete(uri);
  }

  /** Newest first, with offsets in the current document. */
  of(uri: string): readonly RecentEdit[] {
    return this.#documents.get(uri) ?? [];
  }
}

/**
 * The edits after one more change, newest first. Adjacent deletions are one edit, and so is text typed in place of
 * deleted text. A plain insertion is no edit; it only moves the edits after it.
 */
export function withChange(edits: readonly RecentEdit[], change: DocumentChange): readonly RecentEdit[] {
  const [last] = edits;
  const extended = last === undefined ? null : extendedBy(last, change);
  if (extended !== null) return [extended, ...moved(edits.slice(1), change)];
  const others = moved(edits, change);
  const { removed, inserted } = change;
  const counts = removed !== '' && removed.length <= MAX_LENGTH && inserted.length <= MAX_LENGTH;
  return counts ? [change, ...others].slice(0, MAX_EDITS) : others;
}

function extendedBy(edit: RecentEdit, { offset, removed, inserted }: DocumentChange): RecentEdit | null {
  const end = edit.offset + edit.inserted.length;
  const goesOn = removed.length <= TYPO_LENGTH && offset >= edit.offset && offset + removed.length <= end;
  if (goesOn) {
    const at = offset - edit.offset;
    const text = edit.inserted.slice(0, at) + inserted + edit.inserted.slice(at + removed.length);
    return text.length > MAX_LENGTH ? null : { ...edit, inserted: text };
  }
  if (inserted !== '' || edit.removed.length + removed.length > MAX_LENGTH) return null;
  if (edit.inserted === '' && offset === edit.offset) return { ...edit, removed: edit.removed + removed };
  if (offset + removed.length === edit.offset) return { ...edit, offset, removed: removed + edit.removed };
  return null;
}

/** The edits with their offsets after a change, without those that it overwrote. */
function moved(edits: readonly RecentEdit[], { offset, removed, inserted }: DocumentChange): readonly RecentEdit[] {
  const growth = inserted.length - removed.length;
  return edits.flatMap((edit) => {
    if (edit.offset >= offset + removed.length) return [{ ...edit, offset: edit.offset + growth }];
    return edit.offset + edit.inserted.length <= offset ? [edit] : [];
  });
}
