import { lexicalRulesFor } from '../../../syntax/lexical-rules.js';
import { closerOf, INITIAL_STATE, scanText } from '../../../syntax/lexical-scanner.js';
import type { SuggestionFilter } from '../filter.js';
import { errorsWith } from '../syntax-errors.js';

/** A line that ends like this continues on the next, so its syntax cannot be judged yet. */
const GOES_ON = /(?:[,([{+\-*/%=&|^<>?:.\\]|\b(?:and|or|not|in|is|as|of|extends|implements|return|=>))\s*$/;

/** Each further closer costs a parse. */
const MAXIMUM_CLOSERS = 8;

const PLACEHOLDER = 'x';

/**
 * Drops a text that would give the file more syntax errors than it has now. Brackets that the text leaves open count as
 * closed, because the user will close them.
 */
export const dropBrokenSyntax: SuggestionFilter = (input) => {
  const { text, syntax, cursor } = input;
  if (syntax.scope !== 'code' || GOES_ON.test(text)) return text;
  const errors = errorsWith(text, input);
  if (errors === null || errors.after === 0) return text;
  // An unfinished statement is an error itself, which any word in the right place would fix.
  const allowed = Math.min(errors.before, errorsWith(PLACEHOLDER, input)?.after ?? errors.before);
  if (errors.after <= allowed) return text;
  const { openers } = scanText(cursor.linePrefix + text, INITIAL_STATE, lexicalRulesFor(syntax.languageId));
  const closers = [...openers].reverse().map((opener) => closerOf(opener) ?? '');
  for (let count = 1; count <= Math.min(closers.length, MAXIMUM_CLOSERS); count++) {
    const closed = syntax.errorsWith(`${text}${closers.slice(0, count).join('')}`);
    if (closed !== null && closed.after <= allowed) return text;
  }
  return '';
};
