import { isTelling } from '../cursor/line-shape.js';
import type { RecentEdit } from '../request/recent-edits.js';
import type { FilterInput, SuggestionFilter } from './filter.js';

/** Edits before these are a change of mind that the user has left behind. */
const MAX_EDITS = 5;

/** Drops a text that would put back what the user has just deleted or replaced at the cursor. */
export const dropUndoneEdit: SuggestionFilter = (input) =>
  input.recentEdits.slice(0, MAX_EDITS).some((edit) => undoes(edit, input)) ? '' : input.text;

function undoes({ offset, removed, inserted }: RecentEdit, { text, offset: cursor }: FilterInput): boolean {
  if (cursor < offset || cursor > offset + inserted.length) return false;
  const was = words(removed);
  if (!isTelling(was)) return false;
  // What stands between the edit's start and the cursor is what the user typed in its place, and stays.
  const wouldBe = words(inserted.slice(0, cursor - offset) + text);
  const restored = wouldBe.startsWith(was) || (was.startsWith(wouldBe) && wouldBe.length * 2 >= was.length);
  return restored && words(inserted) !== was;
}

function words(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
