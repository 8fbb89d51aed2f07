/** One change of a document, as the client reported it. */
export interface DocumentChange {
  /** In UTF-16 units of the document before this change. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** What the user did, derived from the changed text. */
export type EditKind =
  /** One key, with a bracket or quote that the editor may have added, or a character from an input method. */
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

const ADDED_PAIR = /^(?:\(\)|\[\]|\{\}|<>|""|''|``|\*\*)$/;
const COMPOSED_CHARACTERS = 4;
const COMPLETED_CHARACTERS = 80;

/**
 * @param isSuggested whether a change inserts the text suggested there
 * @returns null if nothing changed
 */
export function classifyEdit(
  changes: readonly DocumentChange[],
  isSuggested: (change: DocumentChange) => boolean,
): EditKind | null {
  const effective = changes.filter(({ removed, inserted }) => removed !== inserted);
  const [change] = effective;
  if (change === undefined) return null;
  if (effective.length > 1) return 'replaced';
  const { removed, inserted } = change;
  if (inserted === '') return 'deleted';
  if (inserted.length > 1 && isSuggested(change)) return 'accepted';
  if (/^\r?\n[ \t]*(?:\r?\n[ \t]*)?$/.test(inserted)) return 'newLine';
  if ((inserted.length <= 2 && [...inserted].length === 1) || ADDED_PAIR.test(inserted)) return 'typed';
  if (/[\r\n]/.test(inserted)) return 'pasted';
  if (/^[ \t]+$/.test(inserted)) return 'typed';
  if (removed === '') return 'pasted';
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
