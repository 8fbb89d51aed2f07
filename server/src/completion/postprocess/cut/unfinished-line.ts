import type { SuggestionFilter } from '../filter.js';

/** Drops the last of several lines if a limit cut it off: half a line is not worth reading. */
export const dropUnfinishedLine: SuggestionFilter = ({ text, finished }) => {
  if (finished) return text;
  const lastLineFeed = text.lastIndexOf('\n');
  return lastLineFeed < 0 || text.slice(0, lastLineFeed).trim() === '' ? text : text.slice(0, lastLineFeed);
};
