import type { SuggestionFilter } from '../filter.js';
import { isWorse } from '../syntax-errors.js';

/**
 * Removes from the suggestion's end each closer that already follows the cursor and that the suggestion did not open.
 * Editors close brackets and quotes themselves, so this is common. The grammar may object: of two open brackets perhaps
 * only one is closed.
 */
export const trimClosersAlreadyPresent: SuggestionFilter = (input) => {
  const { text, cursor } = input;
  const present = /^\s*([)\]}'"`]+)/.exec(cursor.lineSuffix)?.[1]?.slice(0, MAXIMUM_CLOSERS);
  if (present === undefined) return text;
  // The end of the statement goes with the closer: `f(a);` before `)` leaves `f(a`.
  const body = withoutSeparator(text);
  for (let length = Math.min(present.length, body.length); length > 0; length--) {
    const tail = present.slice(0, length);
    if (body.endsWith(tail) && [...tail].every((closer) => isUnopened(body, closer))) {
      const trimmed = body.slice(0, body.length - length);
      if (!isWorse(text, trimmed, input)) return trimmed;
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
