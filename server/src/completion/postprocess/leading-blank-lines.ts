import type { SuggestionFilter } from './filter.js';

/**
 * Ghost text that begins with blank lines shows nothing where the user looks. On a line of its own the code belongs on
 * that line; behind code one line feed is enough.
 */
export const trimLeadingBlankLines: SuggestionFilter = ({ text, cursor: { linePrefix } }) => {
  const blank = /^(?:[ \t]*\n)+/.exec(text)?.[0];
  if (blank === undefined) return text;
  const rest = text.slice(blank.length);
  if (linePrefix.trim() !== '') return rest.trim() === '' ? '' : `\n${rest}`;
  // The cursor's line is indented already.
  return rest.startsWith(linePrefix) ? rest.slice(linePrefix.length) : rest;
};
