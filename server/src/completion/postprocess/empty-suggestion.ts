import type { SuggestionFilter } from './filter.js';

/** Blanks, or a stray quote or operator alone, are no suggestion; a closing bracket alone is. */
export const dropEmpty: SuggestionFilter = ({ text }) => (/[\p{L}\p{N}_$)\]}]/u.test(text) ? text : '');
