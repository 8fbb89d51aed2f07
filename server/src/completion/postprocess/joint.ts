import { isTelling } from '../cursor/line-shape.js';
import type { SuggestionFilter } from './filter.js';

/**
 * Where the text meets what is typed: removes a repetition of the line so far, and a second blank behind a blank. In a
 * string two blanks may be meant, and a line of its own begins with indentation, which is not this filter's.
 */
export const trimJoint: SuggestionFilter = ({ text, cursor: { linePrefix }, syntax }) => {
  const typed = linePrefix.trim();
  if (typed === '') return text;
  const start = text.trimStart();
  if (isTelling(typed) && start.startsWith(typed))
    return start.slice(typed.length).replace(/^[ \t]+/, blankNeeded(linePrefix));
  // More than one blank on either side is alignment.
  return /\S[ \t]$/.test(linePrefix) && syntax.scope === 'code' ? text.replace(/^[ \t](?=\S)/, '') : text;
};

function blankNeeded(linePrefix: string): string {
  return /[ \t]$/.test(linePrefix) ? '' : ' ';
}
