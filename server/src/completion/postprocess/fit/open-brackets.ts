import { lexicalRulesFor } from '../../../syntax/lexical/lexical-rules.js';
import { closerOf, INITIAL_STATE, scanText } from '../../../syntax/lexical/lexical-scanner.js';
import type { SuggestionFilter } from '../filter.js';
import { errorsWith } from '../syntax-errors.js';

/**
 * Closes round and square brackets that a complete suggestion left open on its last line, if the grammar confirms that
 * nothing else is missing. Leaves a line that visibly continues.
 */
export const closeOpenBrackets: SuggestionFilter = (input) => {
  const { text, finished, cursor, syntax } = input;
  const lastLine = text.includes('\n') ? text.slice(text.lastIndexOf('\n') + 1) : cursor.linePrefix + text;
  if (!finished || syntax.scope !== 'code' || cursor.lineSuffix.trim() !== '' || !/[\w)\]}"'`]\s*$/.test(text))
    return text;
  const { openers } = scanText(lastLine, INITIAL_STATE, lexicalRulesFor(syntax.languageId));
  if (!/^[([]+$/.test(openers)) return text;
  const closed =
    text.trimEnd() +
    [...openers]
      .reverse()
      .map((opener) => closerOf(opener) ?? '')
      .join('');
  const open = errorsWith(text, input);
  const repaired = open === null || open.after === 0 ? null : errorsWith(closed, input);
  return open !== null && repaired !== null && repaired.after < open.after && repaired.after === 0 ? closed : text;
};
