import { replacedClosers } from '../cursor/replaced-closers.js';
import type { FilterInput } from './filter.js';

type Place = Pick<FilterInput, 'cursor' | 'syntax'>;

/** The document's syntax errors without and with a text at the cursor; null where no grammar can tell. */
export function errorsWith(text: string, { cursor, syntax }: Place) {
  return syntax.errorsWith(text, replacedClosers(text, cursor, syntax));
}

/** Whether the grammar, if there is one, finds more errors with the second text than with the first. */
export function isWorse(before: string, after: string, place: Place): boolean {
  const errorsBefore = errorsWith(before, place);
  const errorsAfter = errorsBefore === null ? null : errorsWith(after, place);
  return errorsBefore !== null && errorsAfter !== null && errorsAfter.after > errorsBefore.after;
}
