import type { SuggestionFilter } from './filter.js';

const COMMENT_OPENER = /^(?:\/\*+|\/\/+|#+|--+|<!--|\*)$/;

/** Blanks, a stray sign or the mere start of a comment are no suggestion; closing a bracket or a statement is. */
export const dropTooLittle: SuggestionFilter = ({ text }) => {
  const content = text.trim();
  if (COMMENT_OPENER.test(content)) return '';
  return content.length > 1 || /[\p{L}\p{N}_$)\]};]/u.test(content) ? text : '';
};
