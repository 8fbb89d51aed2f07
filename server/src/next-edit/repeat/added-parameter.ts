import type { EditedText } from './replacement.js';
import { differingTokens, tokensOf } from './token-difference.js';

/** A function that got one more parameter. */
export interface AddedParameter {
  readonly functionName: string;
  readonly name: string;
  /** Zero-based, among the parameters that calls write. */
  readonly index: number;
  /** How many arguments calls have that lack the new one. */
  readonly argumentsBefore: number;
}

/** A call that lacks the argument, as a change of the text. */
export interface CallChange {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

const DECLARES =
  /(?:^|[\s(])(?:function\*?|def|fn|func|async|static|public|private|protected|get|set|constructor)\s+[\w$]*$/;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
/** Python's methods name their object; calls do not. */
const RECEIVERS = new Set(['self', 'cls', 'this']);
/** A call with a longer list of arguments is not looked at. */
const LONGEST_CALL = 2_000;
const MOST_CALLS = 200;

/** The parameter that an edit added to a function's declaration, if calls without it would be wrong. */
export function addedParameter({ original, updated }: EditedText): AddedParameter | null {
  const [before, after] = [tokensOf(original), tokensOf(updated)];
  const [added, ...others] = differingTokens(before, after).filter(({ newStart, newEnd }) => newEnd > newStart);
  if (added === undefined || others.length > 0 || added.end > added.start) return null;
  const open = openBefore(after, added.newStart);
  const functionName = after[open - 1] ?? '';
  if (open < 1 || !NAME.test(functionName)) return null;
  const head = after.slice(0, open).join('');
  const lineStart = head.slice(head.lastIndexOf('\n') + 1);
  const close = closeBehind(after, open);
  if (close < 0) return null;
  const opensBody = /^\s*(?::[^;=]*|->[^;]*)?[{:]/.test(after.slice(close + 1).join(''));
  if (!DECLARES.test(lineStart) && !opensBody) return null;

  const parameters = partsBetween(after, open, close);
  const [parameter, ...more] = parameters.filter(({ start, end }) =>
    after.slice(Math.max(start, added.newStart), Math.min(end, added.newEnd)).some((token) => token.trim() !== ''),
  );
  if (parameter === undefined || more.length > 0) return null;
  const text = after.slice(parameter.start, parameter.end).join('').trim();
  // One with a default, an optional one and a rest parameter leave calls as they are.
  if (/[=?]|^\.\.\.|^\*/.test(text)) return null;
  const name = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(text)?.[0] ?? '';
  if (name === '' || RECEIVERS.has(name)) return null;
  const written = parameters.filter(
    ({ start, end }) => !RECEIVERS.has(after.slice(start, end).join('').trim().split(/[:\s]/)[0] ?? ''),
  );
  const index = written.indexOf(parameter);
  return { functionName, name, index, argumentsBefore: written.length - 1 };
}

/** Every call of the function that has as many arguments as before. Work grows with the text. */
export function callsLacking(
  { functionName, name, index, argumentsBefore }: AddedParameter,
  text: string,
): readonly CallChange[] {
  const changes: CallChange[] = [];
  const wanted = `${functionName}(`;
  let calls = 0;
  for (let at = text.indexOf(wanted); at >= 0 && calls < MOST_CALLS; at = text.indexOf(wanted, at + wanted.length)) {
    calls++;
    if (/[\p{L}\p{N}_$]$/u.test(text.slice(Math.max(0, at - 2), at))) continue;
    const lineStart = text.lastIndexOf('\n', at) + 1;
    if (at - lineStart > LONGEST_CALL || DECLARES.test(text.slice(lineStart, at))) continue;
    const open = at + wanted.length - 1;
    const tokens = tokensOf(text.slice(open, open + LONGEST_CALL));
    const close = closeBehind(tokens, 0);
    if (close < 0) continue;
    if (/^\s*(?::[^;=?]*|->[^;]*)?\{/.test(tokens.slice(close + 1, close + 40).join(''))) continue;
    const given = partsBetween(tokens, 0, close);
    if (given.length !== argumentsBefore) continue;
    changes.push(insertion(tokens, open, given, index, name, close));
  }
  return changes;
}

interface Part {
  readonly start: number;
  readonly end: number;
}

function insertion(
  tokens: readonly string[],
  open: number,
  given: readonly Part[],
  index: number,
  name: string,
  close: number,
): CallChange {
  const offsetOf = (token: number) => open + tokens.slice(0, token).join('').length;
  const next = given[index];
  if (next !== undefined) {
    const skipped = tokens.slice(next.start, next.end).join('').match(/^\s*/)?.[0].length ?? 0;
    const at = offsetOf(next.start) + skipped;
    return { start: at, end: at, newText: `${name}, ` };
  }
  const last = given.at(-1);
  if (last === undefined) return { start: offsetOf(close), end: offsetOf(close), newText: name };
  const lastText = tokens.slice(last.start, last.end).join('');
  const at = offsetOf(last.start) + lastText.trimEnd().length;
  return { start: at, end: at, newText: `, ${name}` };
}

const OPENERS = '([{';
const CLOSERS = ')]}';
const QUOTES = '\'"`';

/** Index of the bracket that is open at a token; -1 without one. */
function openBefore(tokens: readonly string[], from: number): number {
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

/** Index of the bracket that closes the one at `open`; -1 where it is not closed. Text in quotes counts for nothing. */
function closeBehind(tokens: readonly string[], open: number): number {
  let depth = 0;
  let quote = '';
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (quote !== '') {
      if (token === quote && tokens[at - 1] !== '\\') quote = '';
    } else if (token.length === 1) {
      if (QUOTES.includes(token)) quote = token;
      else if (OPENERS.includes(token)) depth++;
      else if (CLOSERS.includes(token) && --depth === 0) return at;
    }
  }
  return -1;
}

/** What commas separate between two brackets, without an empty part at the end. */
function partsBetween(tokens: readonly string[], open: number, close: number): readonly Part[] {
  const parts: Part[] = [];
  let start = open + 1;
  let depth = 0;
  let quote = '';
  for (let at = open + 1; at < close; at++) {
    const token = tokens[at] ?? '';
    if (quote !== '') {
      if (token === quote && tokens[at - 1] !== '\\') quote = '';
    } else if (token.length === 1) {
      if (QUOTES.includes(token)) quote = token;
      else if (OPENERS.includes(token)) depth++;
      else if (CLOSERS.includes(token)) depth--;
      else if (token === ',' && depth === 0) {
        parts.push({ start, end: at });
        start = at + 1;
      }
    }
  }
  parts.push({ start, end: close });
  return parts.filter((part) => tokens.slice(part.start, part.end).some((token) => token.trim() !== ''));
}
