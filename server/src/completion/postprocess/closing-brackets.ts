import type { SuggestionFilter } from './filter.js';
import { isWorse } from './syntax-errors.js';

/**
 * Removes from the suggestion's end each closer that already follows the cursor and that the suggestion did not open.
 * Editors close brackets and quotes themselves, so this is common. The grammar may object: of two open brackets perhaps
 * only one is closed.
 */
export const trimClosersAlreadyPresent: SuggestionFilter = (input) => {
  const { text, cursor } = input;
  const present = /^\s*([)\]}'"`]+)/.exec(cursor.lineSuffix)?.[1];
  if (present === undefined) return text;
  // The end of the statement goes with the closer: `f(a);` before `)` leaves `f(a`.
  const body = text.replace(/\s*[;,]?\s*$/, '');
  for (let length = Math.min(present.length, body.length); length > 0; length--) {
    const tail = present.slice(0, length);
    if (body.endsWith(tail) && [...tail].every((closer) => isUnopened(body, closer))) {
      const trimmed = body.slice(0, body.length - length);
      if (!isWorse(text, trimmed, input)) return trimmed;
    }
  }
  return text;
};

const OPENER_OF: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

function isUnopened(text: string, closer: string): boolean {
  const opener = OPENER_OF[closer];
  const closers = count(text, closer);
  return opener === undefined ? closers % 2 === 1 : closers > count(text, opener);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
