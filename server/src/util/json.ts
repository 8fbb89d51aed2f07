import { cutText } from '../../protocol/cut-text.js';

/** Another program may send anything. These functions read it without trusting it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Answers nest six levels. Comparing or writing a value that nests thousands of levels overflows the stack. */
const DEEPEST = 100;

/** @throws SyntaxError for what is no JSON, or nests too deep */
export function parseJson(text: string): unknown {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        isString = !isString;
        break;
      case BACKSLASH:
        if (isString) index += 1;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (!isString) depth += 1;
        if (depth > DEEPEST) throw new SyntaxError(`a value nests more than ${DEEPEST} levels`);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        if (!isString) depth -= 1;
        break;
      default:
    }
  }
  return JSON.parse(text);
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, OPEN_BRACE, CLOSE_BRACKET, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x7b, 0x5d, 0x7d];

/** Empty for what is no object. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Empty for what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback;
}

export function numberOf(value: unknown, fallback = 0): number {
  return numberOrNull(value) ?? fallback;
}

/** Longer messages contain stack traces, and no model has a longer name. */
const LONGEST_SHOWN = 200;

/** One line, of a length that can be shown. */
export function shownText(text: string): string {
  // Only the start is read: a text may have megabytes.
  const line = cutText(text, 4 * LONGEST_SHOWN)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST_SHOWN ? `${cutText(line, LONGEST_SHOWN - 3)}...` : line;
}

/** Null for what is no text, or an empty one. */
export function shownTextOrNull(value: unknown): string | null {
  return shownText(textOf(value)) || null;
}

/** Null for what is no number. */
export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Null for what is no number, or a negative one. */
export function amountOrNull(value: unknown): number | null {
  const known = numberOrNull(value);
  return known !== null && known >= 0 ? known : null;
}

/** Null for what is no whole number from 0 to 2 ** 53 - 1. */
export function countOrNull(value: unknown): number | null {
  return Number.isSafeInteger(value) ? amountOrNull(value) : null;
}

/** The fallback for what cannot be the length of a context in tokens. */
export function contextLengthOf(value: unknown, fallback: number): number {
  const known = countOrNull(value);
  return known === null || known === 0 || known > LONGEST_CONTEXT ? fallback : known;
}

/** As for a model on this machine. */
const LONGEST_CONTEXT = 2 ** 24;

/** Null unless all of it is token ids. */
export function tokensOf(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every(isTokenId) ? value : null;
}

export function isTokenId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_TOKEN;
}

/** Engines count tokens with 31 bits. */
const LAST_TOKEN = 2 ** 31 - 1;
