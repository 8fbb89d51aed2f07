import { isDistinctive } from '../../cursor/line-shape.js';
import { WORD_CHARACTER } from '../../cursor/word-character.js';
import type { SuggestionFilter } from '../filter.js';

/**
 * Where the suggestion meets the typed text: removes a repetition of the line so far, and a blank after a blank. A
 * string may contain two blanks, and the indentation of an empty line belongs to another filter.
 */
export const trimJoint: SuggestionFilter = ({ text, cursor: { linePrefix }, syntax }) => {
  const typed = linePrefix.trim();
  if (typed === '') return text;
  const start = text.trimStart();
  if (isDistinctive(typed) && start.startsWith(typed) && !splitsWord(linePrefix, typed, start))
    return start.slice(typed.length).replace(/^[ \t]+/, blankNeeded(linePrefix));
  // Several blanks on either side are alignment.
  return /\S[ \t]$/.test(linePrefix) && syntax.scope === 'code' ? text.replace(/^[ \t](?=\S)/, '') : text;
};

/** After `import `, `importlib` is another word. */
function splitsWord(linePrefix: string, typed: string, text: string): boolean {
  const isComplete = /[ \t]$/.test(linePrefix) && WORD_CHARACTER.test(typed.slice(-1));
  return isComplete && WORD_CHARACTER.test(text[typed.length] ?? '');
}

function blankNeeded(linePrefix: string): string {
  return /[ \t]$/.test(linePrefix) ? '' : ' ';
}
