import { isDistinctive } from '../../cursor/line-shape.js';
import type { SuggestionFilter } from '../filter.js';

/**
 * Where the suggestion meets the typed text: removes a repetition of the line so far, and a blank after a blank. A
 * string may contain two blanks, and the indentation of an empty line belongs to another filter.
 */
export const trimJoint: SuggestionFilter = ({ text, cursor: { linePrefix }, syntax }) => {
  const typed = linePrefix.trim();
  if (typed === '') return text;
  const start = text.trimStart();
  if (isDistinctive(typed) && start.startsWith(typed))
    return start.slice(typed.length).replace(/^[ \t]+/, blankNeeded(linePrefix));
  // Several blanks on either side are alignment.
  return /\S[ \t]$/.test(linePrefix) && syntax.scope === 'code' ? text.replace(/^[ \t](?=\S)/, '') : text;
};

function blankNeeded(linePrefix: string): string {
  return /[ \t]$/.test(linePrefix) ? '' : ' ';
}
