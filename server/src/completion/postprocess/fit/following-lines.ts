import { isDistinctive, opensBlock } from '../../cursor/line-shape.js';
import type { FilterInput, SuggestionFilter } from '../filter.js';
import { errorsWith, isWorse } from '../syntax-errors.js';

/** The suggestion's lines are compared with this many lines after the cursor. */
const MAX_LINES = 16;

/** Removes from the text's end the lines that already follow the cursor. */
export const trimFollowingLines: SuggestionFilter = (input) => {
  const { text, cursor } = input;
  const following = linesBehind(cursor.suffix.slice(cursor.lineSuffix.length));
  const lines = (cursor.linePrefix + text).split('\n').map((line) => line.trimEnd());
  for (let count = Math.min(lines.length, following.length); count > 0; count--) {
    const tail = lines.slice(-count);
    if (!tail.every((line, index) => line === following[index])) continue;
    if (count === lines.length && cursor.linePrefix.trim() !== '') {
      // The first line completes the cursor's line, whose start the user has typed on purpose. But no block begins twice.
      if (isDistinctive(text) && opensBlock(lines[0] ?? '', input.syntax.languageId)) return '';
      continue;
    }
    const kept = count === lines.length ? '' : lines.slice(0, -count).join('\n').slice(cursor.linePrefix.length);
    if (stands(tail, kept, input)) return kept;
  }
  return text;
};

/** Whether the lines already exist, rather than being needed again as a closing bracket may be. */
function stands(lines: readonly string[], kept: string, input: FilterInput): boolean {
  if (lines.some(isDistinctive)) return kept.trim() === '' || !isWorse(input.text, kept, input);
  const errors = errorsWith(input.text, input);
  const without = errors === null || errors.after === 0 ? null : errorsWith(kept, input);
  return errors !== null && without !== null && without.after < errors.after;
}

function linesBehind(text: string): readonly string[] {
  const lines = text.split('\n', MAX_LINES * 2).map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').slice(0, MAX_LINES);
}
