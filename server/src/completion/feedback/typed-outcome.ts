import { toLineFeeds } from '../../../protocol/index.js';
import type { DocumentChange } from '../cursor/edit-kind.js';
import { typedThrough } from '../cursor/typed-through.js';
import { WORD_CHARACTER } from '../cursor/word-character.js';

/** A suggestion where it was shown, and how far the user has typed from there. Offsets are of the document as it is. */
export interface FollowedText {
  readonly start: number;
  readonly typedEnd: number;
  readonly text: string;
}

/** A wrong key is often taken back at once. */
const SETTLED_CHARACTERS = 3;
/** What an editor adds after the cursor. */
const ADDED_BY_EDITOR = /^[)\]}>"'`]*$/;
/** Indentation and closers make a typed text longer than the suggested one. */
const MORE_CHARACTERS = 200;

/** @returns null where a change reaches before the suggestion's start, so that nobody can tell what became of it */
export function followTyping(followed: FollowedText, changes: readonly DocumentChange[]): FollowedText | null {
  let { start, typedEnd } = followed;
  for (const { offset, removed, inserted } of changes) {
    const end = offset + removed.length;
    const growth = inserted.length - removed.length;
    if (offset > typedEnd) continue;
    if (offset >= start) {
      typedEnd = Math.max(typedEnd, end) + growth;
    } else if (end <= start) {
      start += growth;
      typedEnd += growth;
    } else {
      return null;
    }
  }
  return { ...followed, start, typedEnd };
}

/**
 * Whether the user has typed all of a suggestion, or something else; null while both may still happen.
 *
 * @param document its text after the last change
 */
export function typedOutcome({ start, typedEnd, text }: FollowedText, document: string): 'right' | 'wrong' | null {
  const suggested = toLineFeeds(text);
  const typed = toLineFeeds(document.slice(start, Math.min(typedEnd, start + text.length + MORE_CHARACTERS)));
  let length = typed.length;
  while (length > 0 && typedThrough(suggested, typed.slice(0, length)) === null) length--;
  const [rest, other] = [typedThrough(suggested, typed.slice(0, length)), typed.slice(length)];
  if (rest === '') {
    if (!WORD_CHARACTER.test(suggested.at(-1) ?? '')) return 'right';
    // Half a word is not right.
    return other === '' ? null : WORD_CHARACTER.test(other[0] ?? '') ? 'wrong' : 'right';
  }
  return other.length < SETTLED_CHARACTERS || ADDED_BY_EDITOR.test(other) ? null : 'wrong';
}
