import { isDistinctive } from '../../cursor/line-shape.js';
import { WORD_CHARACTER } from '../../cursor/word-character.js';
import type { RecentEdit } from '../../request/recent-edits.js';
import type { FilterInput, SuggestionFilter } from '../filter.js';

/** Older edits no longer say what the user rejects. */
const MAX_EDITS = 5;

/** Drops a text that would restore what the user has just deleted or replaced at the cursor. */
export const dropUndoneEdit: SuggestionFilter = (input) =>
  input.recentEdits.slice(0, MAX_EDITS).some((edit) => undoes(edit, input)) ? '' : input.text;

function undoes({ offset, removed, inserted }: RecentEdit, { text, offset: cursor }: FilterInput): boolean {
  if (cursor < offset || cursor > offset + inserted.length) return false;
  const was = words(removed);
  if (!isDistinctive(was)) return false;
  // The text between the edit's start and the cursor replaces the deleted text, and stays.
  const typed = inserted.slice(0, cursor - offset);
  // What the user has written again is wanted after all.
  if (words(typed).startsWith(was)) return false;
  const wouldBe = words(typed + text);
  const restored = beginsWith(wouldBe, was) || (was.startsWith(wouldBe) && wouldBe.length * 2 >= was.length);
  return restored && words(inserted) !== was;
}

/** Whether a text begins with another, which does not end inside a word: `users` does not begin with `user`. */
function beginsWith(text: string, start: string): boolean {
  return (
    text.startsWith(start) &&
    !(WORD_CHARACTER.test(start.at(-1) ?? '') && WORD_CHARACTER.test(text[start.length] ?? ''))
  );
}

function words(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
