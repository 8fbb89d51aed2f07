import { splitsPair } from '../../../protocol/index.js';
import { changesOfUser, type DocumentChange } from '../../completion/cursor/edit-kind.js';
import { lineAt } from '../text/lines.js';

/** An edit as a person would describe it: some lines before and after, with unchanged lines around the change. */
export interface FinishedEdit {
  /** Counts all edits from 0. */
  readonly number: number;
  readonly uri: string;
  /** One-based, of both texts' first line when the edit was finished. */
  readonly line: number;
  readonly original: string;
  readonly updated: string;
}

/** What is remembered of a finished edit. */
interface KeptEdit extends FinishedEdit {
  /** It began as a next edit, which the user has made. */
  readonly isMade: boolean;
}

/** The edit that the user is making. Offsets are UTF-16 units of the present text. */
interface PresentEdit {
  readonly uri: string;
  readonly isMade: boolean;
  readonly start: number;
  readonly end: number;
  /** What stood there before. */
  readonly original: string;
}

/** Enough for a chain of edits: each one follows from the first, which must not be forgotten before the last. */
const KEPT_EDITS = 32;
/** Unchanged lines on each side of a change. */
const MARGIN_LINES = 2;
/** The most characters that are kept of these lines. */
const LONGEST_MARGIN = 500;
/** Longer changes come from formatters, branches and pastes. Nobody repeats them by hand. */
const LONGEST_EDIT = 2_000;
/** A person has some cursors; a formatter changes more places at once. */
const MOST_CHANGES_AT_ONCE = 40;
/** Changes at most this far apart are one edit. */
const NEAR_CHARACTERS = 120;

/** The latest edits of all open documents, as long as their documents are open. */
export class EditHistory {
  #finished: readonly KeptEdit[] = [];
  /** What the user is making, all in one document: one edit for each cursor, in the order of the changes. */
  #present: readonly PresentEdit[] = [];
  #count = 0;
  readonly #textOf: (uri: string) => string | null;

  /** @param textOf the present text of an open document */
  constructor(textOf: (uri: string) => string | null) {
    this.#textOf = textOf;
  }

  /**
   * @param changes in the order of their application, each in the text that the one before it left
   * @param isMade whether they are an announced next edit
   */
  edited(uri: string, changes: readonly DocumentChange[], isMade = false): void {
    if (changesOfUser(changes).length === 0) {
      const movesText = changes.some(({ removed, inserted }) => removed.length !== inserted.length);
      if (movesText) this.missed(uri);
      return;
    }
    const joined = this.#joined(uri, changes);
    if (joined === null) {
      this.#begin(uri, changes, isMade);
      return;
    }
    // Cursors at which nothing was typed are there no more.
    this.#present = joined.left;
    this.#finish();
    this.#present = joined.present;
  }

  /** In a document where the user is not: the edit that the user makes elsewhere goes on, and stays the latest. */
  editedElsewhere(uri: string, changes: readonly DocumentChange[]): void {
    const goingOn = this.#isPresentIn(uri) ? [] : this.#present;
    if (goingOn.length > 0) this.#present = [];
    this.#begin(uri, changes, false);
    this.#finish();
    this.#present = goingOn;
  }

  /** A change of this document was not told, or switched its line ends: nobody knows where the present edits are now. */
  missed(uri: string): void {
    if (this.#isPresentIn(uri)) this.#present = [];
  }

  /** The user took edits of this document back: none of them is repeated, nor what followed from them elsewhere. */
  undone(uri: string): void {
    this.closed(uri);
    this.#present = this.#present.filter(({ isMade }) => !isMade);
    this.#finished = this.#finished.filter(({ isMade }) => !isMade);
  }

  closed(uri: string): void {
    this.missed(uri);
    this.#finished = this.#finished.filter((edit) => edit.uri !== uri);
  }

  clear(): void {
    this.#finished = [];
    this.#present = [];
  }

  /** Oldest first, the present ones included. */
  recent(): readonly FinishedEdit[] {
    return [...this.#finished, ...this.#described()].slice(-KEPT_EDITS);
  }

  /** The present edits after more keys at their cursors; null if the changes are other edits. */
  #joined(uri: string, changes: readonly DocumentChange[]): JoinedEdits | null {
    const [change, ...others] = changes;
    const [present, ...more] = this.#present;
    if (change === undefined || present?.uri !== uri) return null;
    if (others.length > 0 || more.length > 0) return joinedAtCursors(this.#present, changes);
    const joined = joinedEdit(present, change, this.#textOf(uri));
    return joined === null ? null : { present: [joined], left: [] };
  }

  /** Each change is an edit of its own: changes of several places do not continue one another. */
  #begin(uri: string, changes: readonly DocumentChange[], isMade: boolean): void {
    if (this.#isPresentIn(uri)) this.#present = followed(this.#present, changes);
    this.#finish();
    if (changes.length > MOST_CHANGES_AT_ONCE) return;
    const own = changesOfUser(changes);
    this.#present = changes.reduce<readonly PresentEdit[]>((present, change) => {
      const edit = own.includes(change) ? newEdit(uri, change, isMade) : null;
      return [...followed(present, [change]), ...(edit === null ? [] : [edit])];
    }, []);
  }

  #isPresentIn(uri: string): boolean {
    return this.#present[0]?.uri === uri;
  }

  #finish(): void {
    const edits = this.#described();
    this.#count += edits.length;
    this.#finished = [...this.#finished, ...edits].slice(-KEPT_EDITS);
    this.#present = [];
  }

  /** The present edits as a person sees them, without those that changed nothing. */
  #described(): readonly KeptEdit[] {
    return this.#present
      .flatMap((edit) => this.#describe(edit) ?? [])
      .map((edit, index) => ({ number: this.#count + index, ...edit }));
  }

  #describe({ uri, isMade, start, end, original }: PresentEdit): Omit<KeptEdit, 'number'> | null {
    const text = this.#textOf(uri);
    if (text === null || text.slice(start, end) === original) return null;
    const first = Math.max(linesUp(text, start, MARGIN_LINES), start - LONGEST_MARGIN);
    const last = Math.min(linesDown(text, end, MARGIN_LINES), end + LONGEST_MARGIN);
    const from = splitsPair(text, first) ? first + 1 : first;
    const to = splitsPair(text, last) ? last - 1 : last;
    const [before, behind] = [text.slice(from, start), text.slice(end, to)];
    return {
      uri,
      isMade,
      line: lineAt(text, from) + 1,
      original: before + original + behind,
      updated: text.slice(from, to),
    };
  }
}

/** Null for a change that nobody repeats. */
function newEdit(uri: string, { offset, removed, inserted }: DocumentChange, isMade: boolean): PresentEdit | null {
  if (removed.length > LONGEST_EDIT || inserted.length > LONGEST_EDIT) return null;
  return { uri, isMade, start: offset, end: offset + inserted.length, original: removed };
}

/** The edits where they are after changes of other places, without those that the changes overlap. */
function followed(edits: readonly PresentEdit[], changes: readonly DocumentChange[]): readonly PresentEdit[] {
  return edits.flatMap((edit) => {
    const moved = changes.reduce<PresentEdit | null>((at, change) => at && movedEdit(at, change), edit);
    return moved === null ? [] : [moved];
  });
}

/** The edit where it is after a change of another place; null if the change overlaps it. */
function movedEdit(edit: PresentEdit, { offset, removed, inserted }: DocumentChange): PresentEdit | null {
  if (offset >= edit.end) return edit;
  if (offset + removed.length > edit.start) return null;
  const growth = inserted.length - removed.length;
  return { ...edit, start: edit.start + growth, end: edit.end + growth };
}

/**
 * The edit with one more change; null if the change is another edit.
 * @param text after the change; null if its document is closed
 */
function joinedEdit(edit: PresentEdit, change: DocumentChange, text: string | null): PresentEdit | null {
  const { offset, removed, inserted } = change;
  const growth = inserted.length - removed.length;
  const removedEnd = offset + removed.length;
  let joined: PresentEdit;
  if (removedEnd < edit.start || offset > edit.end) {
    const [gapStart, gapEnd] = offset > edit.end ? [edit.end, offset] : [offset + inserted.length, edit.start + growth];
    if (text === null || gapEnd - gapStart > NEAR_CHARACTERS) return null;
    const gap = text.slice(gapStart, gapEnd);
    if (gap.indexOf('\n') !== gap.lastIndexOf('\n')) return null;
    joined =
      offset > edit.end
        ? { ...edit, end: offset + inserted.length, original: edit.original + gap + removed }
        : { ...edit, start: offset, end: edit.end + growth, original: removed + gap + edit.original };
  } else {
    const before = removed.slice(0, Math.max(0, edit.start - offset));
    const behind = removed.slice(Math.min(removed.length, Math.max(0, edit.end - offset)));
    joined = {
      ...edit,
      start: Math.min(edit.start, offset),
      end: Math.max(edit.end, removedEnd) + growth,
      original: before + edit.original + behind,
    };
  }
  return joined.original.length > LONGEST_EDIT || joined.end - joined.start > LONGEST_EDIT ? null : joined;
}

/** Edits that go on, and those at whose cursors nothing was typed. */
interface JoinedEdits {
  readonly present: readonly PresentEdit[];
  readonly left: readonly PresentEdit[];
}

/** The edits of several cursors after changes that touch one of them each. Null if the changes are others. */
function joinedAtCursors(edits: readonly PresentEdit[], changes: readonly DocumentChange[]): JoinedEdits | null {
  const own = changesOfUser(changes);
  const joined = new Set<number>();
  let present = edits;
  for (const change of changes) {
    const isOwn = own.includes(change);
    const at = isOwn ? present.findIndex((edit, index) => !joined.has(index) && touches(edit, change)) : -1;
    if (isOwn && at < 0) return null;
    if (isOwn) joined.add(at);
    const after = present.map((edit, index) =>
      index === at ? joinedEdit(edit, change, null) : movedEdit(edit, change),
    );
    present = after.filter((edit) => edit !== null);
    if (present.length < edits.length) return null;
  }
  return {
    present: present.filter((_, index) => joined.has(index)),
    left: present.filter((_, index) => !joined.has(index)),
  };
}

function touches({ start, end }: PresentEdit, { offset, removed }: DocumentChange): boolean {
  return offset <= end && offset + removed.length >= start;
}

/** Start of the line that is so many lines above an offset's line. */
function linesUp(text: string, offset: number, lines: number): number {
  let start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  for (let line = 0; line < lines && start > 0; line++) start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
}

/** End of the line that is so many lines below an offset's line, without its line feed. */
function linesDown(text: string, offset: number, lines: number): number {
  let end = offset - 1;
  for (let line = 0; line <= lines; line++) {
    const lineFeed = text.indexOf('\n', end + 1);
    if (lineFeed < 0) return text.length;
    end = lineFeed;
  }
  return end;
}
