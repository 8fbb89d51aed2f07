import { lexicalRulesFor } from '../../../syntax/lexical/lexical-rules.js';
import { closerOf, INITIAL_STATE, scanText } from '../../../syntax/lexical/lexical-scanner.js';
import { LINE_CHARACTERS } from '../../cursor/cursor-context.js';
import { decorates } from '../../cursor/line-shape.js';
import { leavesString } from '../../cursor/replaced-closers.js';
import { endsOfWordBlocks } from '../../cursor/word-blocks.js';
import type { FilterInput, SuggestionFilter } from '../filter.js';
import { errorsWith } from '../syntax-errors.js';

/** A line that ends like this continues on the next, so its syntax cannot be judged yet. */
const GOES_ON = /(?:[,([{+\-*/%=&|^<>?:.\\]|\b(?:and|or|not|in|is|as|of|extends|implements|return|=>))\s*$/;

/** Each further closer costs a parse. */
const MAXIMUM_CLOSERS = 8;

const PLACEHOLDER = 'x';

/**
 * Drops a text that would give the file more syntax errors than it has now. Brackets and blocks that the text leaves open
 * count as closed, because the user will close them.
 */
export const dropBrokenSyntax: SuggestionFilter = (input) => {
  const { text, syntax, cursor } = input;
  const isCode = syntax.scope === 'code' || leavesString(text, cursor.linePrefix, syntax.languageId);
  if (!isCode) return text;
  if (closesTwice(input)) return '';
  if (GOES_ON.test(text) || decorates(lastLineOf(cursor.linePrefix + text), syntax.languageId)) return text;
  const errors = errorsWith(text, input);
  if (errors === null || errors.after === 0) return text;
  // An unfinished statement is an error itself, which any word in the right place would fix.
  const allowed = Math.min(errors.before, errorsWith(PLACEHOLDER, input)?.after ?? errors.before);
  if (errors.after <= allowed) return text;
  const isExplained = (closers: string): boolean => {
    const closed = errorsWith(text + closers, input);
    return closed !== null && closed.after <= allowed;
  };
  return endings(cursor.linePrefix + text, syntax.languageId).some(isExplained) ? text : '';
};

/** What the user may write after a text that leaves brackets or blocks open. */
function endings(text: string, languageId: string): readonly string[] {
  const { openers } = scanText(text, INITIAL_STATE, lexicalRulesFor(languageId));
  const closers = [...openers].reverse().map((opener) => closerOf(opener) ?? '');
  const words = endsOfWordBlocks(text, languageId).map((end) => `\n${end}`);
  const allOf = (parts: readonly string[]) =>
    parts.slice(0, MAXIMUM_CLOSERS).map((_, index) => parts.slice(0, index + 1).join(''));
  const both = closers.length > 0 && words.length > 0 ? [words.join('') + closers.join('')] : [];
  return [...allOf(closers), ...allOf(words), ...both];
}

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1).slice(0, LINE_CHARACTERS);
}

/** Whether a text begins with a bracket that the next line closes already. An editor that closes brackets puts it there. */
function closesTwice(input: FilterInput): boolean {
  const { text, cursor } = input;
  const closer = /^[)\]}]/.exec(text)?.[0];
  if (closer === undefined || cursor.linePrefix.trim() !== '') return false;
  if (cursor.followingLine?.trimStart().startsWith(closer) !== true) return false;
  const errors = errorsWith(text, input);
  return errors !== null && errors.after > 0 && errors.after >= errors.before;
}
