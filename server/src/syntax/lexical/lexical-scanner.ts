import type { Scope } from '../syntax.js';
import type { Delimiter, LexicalRules } from './lexical-rules.js';

/** The state of a scan between two lines. Immutable, so that a growing line can be scanned again. */
export interface LexicalState {
  /** The comment or string around the scan's place; null in code. */
  readonly inside: Delimiter | null;
  /** Open brackets of the code, outermost first, such as `({`. */
  readonly openers: string;
  /** Closing brackets whose openers come before the scan's start, in order. */
  readonly closers: string;
}

export const INITIAL_STATE: LexicalState = { inside: null, openers: '', closers: '' };

const CLOSER_OF: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const LINE_COMMENT: Delimiter = { scope: 'comment', open: '', close: '\n', multiline: false };
const REGULAR_EXPRESSION: Delimiter = { scope: 'string', open: '/', close: '/', multiline: false };
/** After one of these, or at the start of a line, an operand follows, so `/` is not a division. */
const BEFORE_OPERAND = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|when|if|unless|and|or))$/;
/** Longer than the longest of these words, with the character before it. */
const BEFORE_OPERAND_CHARACTERS = 8;
const CHARACTER_LITERAL = /'(?:\\[^\n]{1,10}?|[^\\'\n])'/y;
const REGULAR_EXPRESSION_BODY = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;

export function closerOf(opener: string): string | null {
  return CLOSER_OF[opener] ?? null;
}

/** What a scan meets, by its places in the scanned text. */
export interface LexicalObserver {
  /** A bracket that is code. */
  readonly onBracket?: (index: number) => void;
  /** A string from its opening to after its closing delimiter, as far as the line has it. */
  readonly onString?: (start: number, end: number) => void;
}

/**
 * The state after one line, given without its line feed. It still contains what ends with the line, such as a line
 * comment, because the cursor may be there. The scan of the next line removes it.
 */
export function scanLine(
  line: string,
  start: LexicalState,
  rules: LexicalRules,
  { onBracket, onString }: LexicalObserver = {},
): LexicalState {
  let { inside, openers, closers } = atLineStart(start);
  let at = 0;
  let insideSince = 0;
  while (at < line.length) {
    if (inside !== null) {
      const end = closingIndex(line, at, inside);
      if (end < 0) break;
      at = end + inside.close.length;
      if (inside.scope === 'string') onString?.(insideSince, at);
      inside = null;
      continue;
    }
    const character = line[at] ?? '';
    const opened = rules.delimiters.find(({ open }) => line.startsWith(open, at));
    if (rules.lineComments.some((marker) => startsLineComment(line, at, marker))) {
      return { inside: LINE_COMMENT, openers, closers };
    }
    if (opened !== undefined) {
      inside = opened;
      insideSince = at;
      at += opened.open.length;
    } else if (character === "'" && rules.characterLiterals) {
      const length = matchLength(CHARACTER_LITERAL, line, at);
      if (length > 0) onString?.(at, at + length);
      at += length || 1;
    } else if (character === '/' && rules.regularExpressions && expectsOperand(line, at)) {
      const length = matchLength(REGULAR_EXPRESSION_BODY, line, at);
      onString?.(at, length === 0 ? line.length : at + length);
      if (length === 0) return { inside: REGULAR_EXPRESSION, openers, closers };
      at += length;
    } else {
      if (character in CLOSER_OF) openers += character;
      else if (')]}'.includes(character)) {
        if (CLOSER_OF[openers.at(-1) ?? ''] === character) openers = openers.slice(0, -1);
        else closers += character;
      }
      if ('()[]{}'.includes(character)) onBracket?.(at);
      at++;
    }
  }
  if (inside?.scope === 'string') onString?.(insideSince, line.length);
  return { inside, openers, closers };
}

/** The state after a text of several lines. */
export function scanText(
  text: string,
  start: LexicalState,
  rules: LexicalRules,
  { onBracket, onString }: LexicalObserver = {},
): LexicalState {
  let state = start;
  let lineStart = 0;
  for (const line of text.split('\n')) {
    state = scanLine(line, state, rules, {
      onBracket: (index) => onBracket?.(lineStart + index),
      onString: (from, to) => onString?.(lineStart + from, lineStart + to),
    });
    lineStart += line.length + 1;
  }
  return state;
}

export function scopeOf({ inside }: LexicalState): Scope {
  return inside?.scope ?? 'code';
}

/** The state at the start of the next line: comments and strings of one line have ended. */
function atLineStart(state: LexicalState): LexicalState {
  return state.inside === null || state.inside.multiline ? state : { ...state, inside: null };
}

function closingIndex(line: string, from: number, { scope, close, raw }: Delimiter): number {
  for (let at = from; at < line.length; at++) {
    if (scope === 'string' && raw !== true && line[at] === '\\') at++;
    else if (line.startsWith(close, at)) return at;
  }
  return -1;
}

/** A `#` inside a word, such as `$#` or a colour, starts no comment. */
function startsLineComment(line: string, at: number, marker: string): boolean {
  if (!line.startsWith(marker, at)) return false;
  return marker !== '#' || at === 0 || /[\s;,(){}[\]]/.test(line[at - 1] ?? '');
}

/** Reads only the blanks before the place, so that the scan of a line stays linear. */
function expectsOperand(line: string, at: number): boolean {
  // The end tag of JSX.
  if (line[at - 1] === '<') return false;
  let end = at;
  while (end > 0 && /\s/.test(line[end - 1] ?? '')) end--;
  // The end of a tag of JSX whose last attribute has braces.
  if (line[at + 1] === '>' && line[end - 1] === '}') return false;
  return BEFORE_OPERAND.test(line.slice(Math.max(0, end - BEFORE_OPERAND_CHARACTERS), end));
}

function matchLength(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0].length ?? 0;
}
