import type { SuggestionFilter } from '../filter.js';

/**
 * Ghost text that begins with blank lines shows nothing at the cursor. On an empty line the code starts on that line;
 * after code one line feed is enough.
 */
export const trimLeadingBlankLines: SuggestionFilter = ({ text, cursor: { linePrefix } }) => {
  const blank = /^(?:[ \t]*\n)+/.exec(text)?.[0];
  if (blank === undefined) return text;
  const rest = text.slice(blank.length);
  if (linePrefix.trim() !== '') return rest.trim() === '' ? '' : `\n${rest}`;
  // The cursor's line is already indented.
  return rest.startsWith(linePrefix) ? rest.slice(linePrefix.length) : rest;
};
