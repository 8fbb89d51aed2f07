import { changesOfUser, type DocumentChange } from '../../completion/cursor/edit-kind.js';

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

/** The edit that the user is making. Offsets are UTF-16 units of the present text. */
interface PresentEdit {
  readonly uri: string;
  readonly start: number;
  readonly end: number;
  /** What stood there before. */
  readonly original: string;
}

/** Enough for a chain of edits: each one follows from the first, which must not be forgotten before the last. */
const KEPT_EDITS = 32;
/** Unchanged lines on each side of a change. */
const MARGIN_LINES = 2;
/** Of these lines, so much is kept. */
const LONGEST_MARGIN = 500;
/** Longer changes come from formatters, branches and pastes. Nobody repeats them by hand. */
const LONGEST_EDIT = 2_000;
/** A person has some cursors; a formatter changes more places at once. */
const MOST_CHANGES_AT_ONCE = 40;
/** Changes at most this far apart are one edit. */
const NEAR_CHARACTERS = 120;

/** The latest edits of all open documents, as long as their documents are open. */
export class EditHistory {
  #finished: readonly FinishedEdit[] = [];
  #present: PresentEdit | null = null;
  #count = 0;
  readonly #textOf: (uri: string) => string | null;

  /** @param textOf the present text of an open document */
  constructor(textOf: (uri: string) => string | null) {
    this.#textOf = textOf;
  }

  /** @param changes in the order of their application, each in the text that the one before it left */
  edited(uri: string, changes: readonly DocumentChange[]): void {
    const [change, ...others] = changes;
    if (change === undefined) return;
    if (others.length === 0) this.#take(uri, change);
    else this.#takeAtOnce(uri, changes);
  }

  /** In a document where the user is not: the edit that the user makes elsewhere goes on, and stays the latest. */
  editedElsewhere(uri: string, changes: readonly DocumentChange[]): void {
    const goingOn = this.#present?.uri === uri ? null : this.#present;
    if (goingOn !== null) this.#present = null;
    this.#takeAtOnce(uri, changes);
    this.#present = goingOn;
  }

  /** A change of this document was not told: where the present edit is by now, nobody knows. */
  missed(uri: string): void {
    if (this.#present?.uri === uri) this.#present = null;
  }

  /** The user took edits of this document back: none of them is repeated. */
  undone(uri: string): void {
    this.missed(uri);
    this.#finished = this.#finished.filter((edit) => edit.uri !== uri);
  }

  closed(uri: string): void {
    this.undone(uri);
  }

  /** Oldest first, the present one included. */
  recent(): readonly FinishedEdit[] {
    const present = this.#describePresent();
    return present === null ? this.#finished : [...this.#finished, present].slice(-KEPT_EDITS);
  }

  #take(uri: string, change: DocumentChange): void {
    const present = this.#present;
    const joined = present?.uri === uri ? joinedEdit(present, change, this.#textOf(uri)) : null;
    if (joined !== null) {
      this.#present = joined;
      return;
    }
    this.#follow(uri, [change]);
    this.#finish();
    this.#present = newEdit(uri, change);
  }

  /** Each change is an edit of its own: changes of several places do not continue one another. */
  #takeAtOnce(uri: string, changes: readonly DocumentChange[]): void {
    this.#follow(uri, changes);
    this.#finish();
    if (changes.length > MOST_CHANGES_AT_ONCE) return;
    for (const change of changesOfUser(changes)) {
      this.#present = newEdit(uri, change);
      this.#follow(uri, changes.slice(changes.indexOf(change) + 1));
      this.#finish();
    }
  }

  /** Keeps the present edit at its place while its document changes. */
  #follow(uri: string, changes: readonly DocumentChange[]): void {
    if (this.#present?.uri === uri) this.#present = changes.reduce(movedEdit, this.#present);
  }

  #finish(): void {
    const edit = this.#describePresent();
    this.#present = null;
    if (edit === null) return;
    this.#count++;
    this.#finished = [...this.#finished, edit].slice(-KEPT_EDITS);
  }

  /** Null without a present edit, and for one that changed nothing. */
  #describePresent(): FinishedEdit | null {
    const present = this.#present;
    const text = present === null ? null : this.#textOf(present.uri);
    if (present === null || text === null) return null;
    const { uri, start, end, original } = present;
    if (text.slice(start, end) === original) return null;
    const from = Math.max(linesUp(text, start, MARGIN_LINES), start - LONGEST_MARGIN);
    const to = Math.min(linesDown(text, end, MARGIN_LINES), end + LONGEST_MARGIN);
    const [before, behind] = [text.slice(from, start), text.slice(end, to)];
    const line = lineOf(text, from);
    return {
      number: this.#count,
      uri,
      line,
      original: before + original + behind,
      updated: text.slice(from, to),
    };
  }
}

/** One-based. */
function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Null for a change that nobody repeats. */
function newEdit(uri: string, { offset, removed, inserted }: DocumentChange): PresentEdit | null {
  if (removed.length > LONGEST_EDIT || inserted.length > LONGEST_EDIT) return null;
  return { uri, start: offset, end: offset + inserted.length, original: removed };
}

/** The edit where it is after a change of another place; null if the change overlaps it. */
function movedEdit(edit: PresentEdit | null, { offset, removed, inserted }: DocumentChange): PresentEdit | null {
  if (edit === null || offset >= edit.end) return edit;
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
