import type { SuggestionFilter } from './filter.js';

/** Nothing but blanks is no suggestion. */
export const dropEmpty: SuggestionFilter = ({ text }) => (text.trim() === '' ? '' : text);
