import { tokensOf } from './token-difference.js';

/** Tokens of one parameter or argument. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

const OPENERS = '([{';
const CLOSERS = ')]}';
const QUOTES = '\'"`';

/** Index of the bracket that is open at a token; -1 without one. */
export function openBefore(tokens: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from - 1; at >= 0; at--) {
    const token = tokens[at] ?? '';
    if (token.length === 1 && CLOSERS.includes(token)) depth++;
    if (token.length === 1 && OPENERS.includes(token)) {
      if (depth === 0) return token === '(' ? at : -1;
      depth--;
    }
  }
  return -1;
}

/** The single characters of `[start, end)` that are in no quotes, and do not begin or end any. */
function* marksBetween(tokens: readonly string[], start: number, end: number) {
  let quote = '';
  for (let at = start; at < end; at++) {
    const mark = tokens[at] ?? '';
    if (quote !== '') {
      if (mark === quote && tokens[at - 1] !== '\\') quote = '';
    } else if (mark.length === 1) {
      if (QUOTES.includes(mark)) quote = mark;
      else yield { at, mark };
    }
  }
}

/** Index of the bracket that closes the one at `open`; -1 where it is not closed. Text in quotes counts for nothing. */
export function closeBehind(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (const { at, mark } of marksBetween(tokens, open, tokens.length)) {
    if (OPENERS.includes(mark)) depth++;
    else if (CLOSERS.includes(mark) && --depth === 0) return at;
  }
  return -1;
}

/** What commas separate between two brackets, without an empty part at the end. */
export function partsBetween(tokens: readonly string[], open: number, close: number): readonly Part[] {
  const parts: Part[] = [];
  let start = open + 1;
  let depth = 0;
  for (const { at, mark } of marksBetween(tokens, open + 1, close)) {
    if (OPENERS.includes(mark)) depth++;
    else if (CLOSERS.includes(mark)) depth--;
    else if (mark === ',' && depth === 0) {
      parts.push({ start, end: at });
      start = at + 1;
    }
  }
  parts.push({ start, end: close });
  return parts.filter((part) => tokens.slice(part.start, part.end).some((token) => token.trim() !== ''));
}

/** Whether a function's name at an offset is followed by its parameters and a body. */
export function hasBody(text: string, nameEnd: number): boolean {
  if (text[nameEnd] !== '(') return false;
  const tokens = tokensOf(text.slice(nameEnd, nameEnd + LONGEST_LIST));
  const close = closeBehind(tokens, 0);
  return close >= 0 && /^[^;{}]*\{/.test(tokens.slice(close + 1).join(''));
}

const LONGEST_LIST = 2_000;
