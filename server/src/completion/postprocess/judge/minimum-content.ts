import type { SuggestionFilter } from '../filter.js';

const COMMENT_OPENER = /^(?:\/\*+|\/\/+|#+|--+|<!--|\*)$/;

/** Drops blanks, a single sign or only the start of a comment; keeps the end of a bracket or statement. */
export const dropTooLittle: SuggestionFilter = ({ text }) => {
  const content = text.trim();
  if (COMMENT_OPENER.test(content)) return '';
  return content.length > 1 || /[\p{L}\p{N}_$)\]};]/u.test(content) ? text : '';
};
