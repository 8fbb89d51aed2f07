import { haveSameLines } from '../../../protocol/index.js';

/** One change of a document, as the client reported it. */
export interface DocumentChange {
  /** In UTF-16 units of the document before this change. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** What the user did, derived from the changed text. */
export type EditKind =
  /** One key, with a closer or tag that the editor may have added, or what an input method composed. */
  | 'typed'
  | 'newLine'
  /** The suggest widget or a snippet completed an identifier. */
  | 'completed'
  /** The user accepted a suggestion or a part of it. */
  | 'accepted'
  | 'deleted'
  | 'pasted'
  /** Several places at once: multiple cursors, a rename, a formatter. */
  | 'replaced';

const ADDED_PAIR = /^(?:\(\)|\[\]|\{\}|<>|""|''|``|\*\*|\$\$|\|\|)$/;
/**
 * The last key of what begins a comment or the tag of a template, and its end. Where the editor has closed the bracket
 * before, the end lacks that.
 */
const ADDED_END = /^(?:\* ?\*\/|- ?-(?:->|\})?|# ?#[>}]?|% ?%\}?)$/;
/** A bracket of LaTeX, as after `\left`, and a string of several lines of PowerShell. */
const ADDED_BEHIND_SIGN = /^(?:\(\\(?:[a-z]{4,6})?\)|\[\\(?:[a-z]{4,6})?\]|\{\\(?:[a-z]{4,6}\\)?\}|(["'])\r?\n\1@)$/i;
/** After the `>` of `<Name>`, in HTML and JSX. */
const ADDED_TAG = /^<\/[\p{L}\p{N}_$.:-]{0,80}>$/u;
const ADDED = [ADDED_PAIR, ADDED_END, ADDED_BEHIND_SIGN, ADDED_TAG];
/** Editors begin a new line of a comment or list like the line before, and put the end of a comment on its own line. */
const NEW_LINE =
  /^\r?\n[ \t]*(?:(?:\*|\/\/[/!]?|[#%;]{1,4}['!]?|-{1,4}|[+>]|\d{1,3}[.)])[ \t]*(?:\[ \][ \t]*)?)?(?:\r?\n[ \t]*(?:\*\/)?)?$/;
const COMPOSED_CHARACTERS = 4;
/** A phrase of a language whose letters are no keys. */
const COMPOSED_PHRASE = /^(?!\s)\P{ASCII}{1,32}$/u;
const COMPLETED_CHARACTERS = 80;
/** Behind an object, a name with what the editor may add for a call. */
const MEMBER = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\(.*\))?$/u;
const BEFORE_MEMBER = /(?:\.|->|::)$/;

/**
 * What the user changed: not what changes nothing or only line ends, nor the indentation that editors remove from an
 * empty line along with the next change.
 */
export function changesOfUser(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const effective = changes.filter(({ removed, inserted }) => !haveSameLines(removed, inserted));
  const others = effective.filter(({ removed, inserted }) => inserted !== '' || !/^[ \t]+$/.test(removed));
  return others.length === 0 ? effective : others;
}

/** The end of the user's last change in the text after all changes; null if nothing changed. */
export function editEnd(changes: readonly DocumentChange[]): number | null {
  const last = changesOfUser(changes).at(-1);
  if (last === undefined) return null;
  let end = last.offset + last.inserted.length;
  for (const { offset, removed, inserted } of changes.slice(changes.lastIndexOf(last) + 1)) {
    if (offset < end) end += inserted.length - removed.length;
  }
  return end;
}

/** From the first place of the user's changes to the last, in the text after all changes; null if nothing changed. */
export function editRange(changes: readonly DocumentChange[]): { readonly start: number; readonly end: number } | null {
  const meant = new Set(changesOfUser(changes));
  let range: { start: number; end: number } | null = null;
  for (const change of changes) {
    const { offset, removed, inserted } = change;
    const growth = inserted.length - removed.length;
    if (range !== null) {
      if (offset < range.start) range.start = Math.max(offset, range.start + growth);
      if (offset < range.end) range.end = Math.max(offset + inserted.length, range.end + growth);
    }
    if (!meant.has(change)) continue;
    const end = offset + inserted.length;
    range =
      range === null ? { start: offset, end } : { start: Math.min(range.start, offset), end: Math.max(range.end, end) };
  }
  return range;
}

/**
 * A client may tell several keys at once, as Neovim does with those that follow each other within 150 ms: the last one
 * decides.
 *
 * @param isSuggested whether a change inserts the text suggested there
 * @param textBefore the two characters before the last change, as far as they are known
 * @returns null if nothing changed
 */
export function classifyEdit(
  changes: readonly DocumentChange[],
  isSuggested: (change: DocumentChange) => boolean,
  textBefore: (offset: number) => string = () => '',
): EditKind | null {
  const keys = changesOfUser(changes);
  const last = keys.at(-1);
  if (last === undefined) return null;
  return keys.every((key, index) => continues(keys[index - 1], key))
    ? kindOf(last, isSuggested, textBefore)
    : 'replaced';
}

/** Whether a change is at the place that the one before has changed. */
function continues(before: DocumentChange | undefined, { offset, removed }: DocumentChange): boolean {
  if (before === undefined) return true;
  return offset <= before.offset + before.inserted.length && offset + removed.length >= before.offset;
}

function kindOf(
  change: DocumentChange,
  isSuggested: (change: DocumentChange) => boolean,
  textBefore: (offset: number) => string,
): EditKind {
  const { offset, removed, inserted } = change;
  if (inserted === '') return 'deleted';
  if (inserted.length > 1 && isSuggested(change)) return 'accepted';
  if (NEW_LINE.test(inserted)) return 'newLine';
  if (inserted.length <= 2 && [...inserted].length === 1) return 'typed';
  if (ADDED.some((pattern) => pattern.test(inserted))) return 'typed';
  if (COMPOSED_PHRASE.test(inserted)) return 'typed';
  if (/[\r\n]/.test(inserted)) return 'pasted';
  if (/^[ \t]+$/.test(inserted)) return 'typed';
  if (removed === '') {
    const isMember = inserted.length <= COMPLETED_CHARACTERS && MEMBER.test(inserted);
    return isMember && BEFORE_MEMBER.test(textBefore(offset)) ? 'completed' : 'pasted';
  }
  // An input method replaces a few characters at a time; a completion extends what was typed.
  if (inserted.length <= COMPOSED_CHARACTERS && removed.length <= COMPOSED_CHARACTERS) return 'typed';
  if (inserted.length > COMPLETED_CHARACTERS) return 'pasted';
  return isSubsequence(removed.toLowerCase(), inserted.toLowerCase()) ? 'completed' : 'pasted';
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
}
