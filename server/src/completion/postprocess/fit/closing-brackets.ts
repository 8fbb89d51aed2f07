import { LINE_CHARACTERS } from '../../cursor/cursor-context.js';
import { countReplacedClosers, unmatchedWith, withinString } from '../../cursor/replaced-closers.js';
import type { SuggestionFilter } from '../filter.js';
import { isWorse } from '../syntax-errors.js';

/**
 * Removes from the suggestion's end each closer that already follows the cursor and that the suggestion did not open.
 * Editors close brackets and quotes themselves, so this is common. The grammar may object: of two open brackets perhaps
 * only one is closed. Closers on a line of their own stay, and replace the editor's. So do those without which a bracket
 * would be closed twice or not at all: `'║'))` needs all of `a'), 'b')`.
 */
export const trimClosersAlreadyPresent: SuggestionFilter = (input) => {
  const { cursor, syntax } = input;
  const present = /^\s*([)\]}'"`]+)/.exec(cursor.lineSuffix)?.[1]?.slice(0, MAXIMUM_CLOSERS);
  if (present === undefined) return input.text;
  const text = withinString(input.text, cursor, syntax.languageId);
  // The end of the statement goes with the closer: `f(a);` before `)` leaves `f(a`.
  const body = withoutSeparator(text);
  for (let length = Math.min(present.length, body.length); length > 0; length--) {
    const tail = present.slice(0, length);
    if (body.endsWith(tail) && [...tail].every((closer) => isUnopened(body, closer))) {
      const trimmed = body.slice(0, body.length - length);
      const ownLine = /\n[ \t]*$/.test(trimmed.slice(-LINE_CHARACTERS));
      if (ownLine && countReplacedClosers(text, cursor, syntax.languageId) >= length) return text;
      const unbalances =
        unmatchedWith(trimmed, cursor, syntax.languageId) > unmatchedWith(text, cursor, syntax.languageId);
      if (!unbalances && !isWorse(text, trimmed, input)) return trimmed;
    }
  }
  return text;
};

/** Editors close few brackets at once. */
const MAXIMUM_CLOSERS = 16;

function withoutSeparator(text: string): string {
  const body = text.trimEnd();
  return /[;,]$/.test(body.slice(-1)) ? body.slice(0, -1).trimEnd() : body;
}

const OPENER_OF: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

function isUnopened(text: string, closer: string): boolean {
  const opener = OPENER_OF[closer];
  const closers = count(text, closer);
  return opener === undefined ? closers % 2 === 1 : closers > count(text, opener);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
