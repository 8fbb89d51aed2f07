/** A token with its text; null where that text is no whole characters. */
export interface SpelledToken {
  readonly id: number;
  readonly piece: string | null;
}

export interface HealedTokens {
  /** Tokens that can no longer change with what follows. */
  readonly stable: readonly number[];
  /** The text that the next tokens must begin with; empty where nothing is taken back. */
  readonly rest: string;
}

/** At most so many tokens are taken back: each one slows the start of the answer. */
const MOST_TOKENS = 8;

/** Longer than the text of so many real tokens: a server may claim that a token spells megabytes. */
const LONGEST_REST = 1024;

/** Takes the last tokens of typed text back, so that they can be chosen together with what follows. */
export function takeBack(tokens: readonly SpelledToken[]): HealedTokens {
  const ending = tokens.slice(-MOST_TOKENS).map(({ piece }) => piece ?? '');
  const text = ending.join('').slice(-LONGEST_REST);
  const wanted = unstableEnd(text);
  let kept = tokens.length;
  let rest = '';
  while (kept > 0 && rest.length < wanted && tokens.length - kept < MOST_TOKENS) {
    const piece = tokens[kept - 1]?.piece ?? null;
    // A line end would end an answer of one line.
    if (piece === null || piece.length > LONGEST_REST || piece.includes('\n')) break;
    rest = piece + rest;
    kept -= 1;
  }
  return { stable: tokens.slice(0, kept).map(({ id }) => id), rest };
}

/**
 * UTF-16 units at the end of a text whose tokens depend on what comes next, as in native/engine/text/token_healing: the last
 * run of letters, digits, blanks or other characters, with the one before it that tokenizers join to a word.
 */
export function unstableEnd(text: string): number {
  const [run = ''] = /(?:[A-Za-z\u0080-\uffff]+|[0-9]+|[^\S\n]+|[^\sA-Za-z0-9\u0080-\uffff]+)$/.exec(text) ?? [];
  if (run === '' || run.trim() === '') return run.length;
  const before = text.at(-run.length - 1) ?? '';
  const isJoined = before === ' ' || (isLetter(run) && /[^\sA-Za-z0-9\u0080-\uffff]/.test(before));
  return run.length + (isJoined ? 1 : 0);
}

function isLetter(text: string): boolean {
  return /^[A-Za-z\u0080-\uffff]/.test(text);
}

/** A grammar in llama.cpp's notation: this text, then anything. */
export function grammarBeginningWith(text: string): string {
  const literal = text.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
  return `root ::= "${literal}" .*`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
