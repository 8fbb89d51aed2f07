import type { SuggestionFilter } from './filter.js';

/** Blanks, or a stray quote or operator alone, are no suggestion; a closing bracket or the end of a statement is. */
export const dropTooLittle: SuggestionFilter = ({ text }) => (/[\p{L}\p{N}_$)\]};]/u.test(text) ? text : '');
