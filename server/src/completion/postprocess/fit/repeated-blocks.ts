import { LONGEST_REPETITION, repeatedLines } from '../../generation/repetition.js';
import type { SuggestionFilter } from '../filter.js';

/** Cuts a text after the first occurrence of a block of lines that repeats. */
export const cutRepeatedBlocks: SuggestionFilter = ({ text, cursor: { linePrefix } }) => {
  const lines = (linePrefix + text).split('\n');
  for (let count = 2; count <= lines.length; count++) {
    const repeated = repeatedLines(lines.slice(Math.max(0, count - LONGEST_REPETITION), count));
    if (repeated > 0)
      return lines
        .slice(0, count - repeated)
        .join('\n')
        .slice(linePrefix.length);
  }
  return text;
};
