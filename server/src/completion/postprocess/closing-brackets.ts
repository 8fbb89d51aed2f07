import type { SuggestionFilter } from './filter.js';

/**
 * Editors close brackets and quotes by themselves, so the closer often stands after the cursor already. Removes from
 * the suggestion's end each closer that is there and that the suggestion did not open itself.
 */
export const trimClosersAlreadyPresent: SuggestionFilter = ({ text }, { lineSuffix }) => {
  const present = /^\s*([)\]}'"`]+)/.exec(lineSuffix)?.[1];
  if (present === undefined) return text;
  // The statement's own end goes with the closer: `f(a);` before `)` leaves `f(a`.
  const body = text.replace(/\s*[;,]?\s*$/, '');
  for (let length = Math.min(present.length, body.length); length > 0; length--) {
    const tail = present.slice(0, length);
    if (body.endsWith(tail) && [...tail].every((closer) => isUnopened(body, closer))) {
      return body.slice(0, body.length - length);
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
