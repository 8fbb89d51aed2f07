import { type Delimiter, type LexicalRules, lexicalRulesFor } from '../../syntax/lexical/lexical-rules.js';
import { INITIAL_STATE, scanLine, scanText } from '../../syntax/lexical/lexical-scanner.js';
import { type CursorContext, LINE_CHARACTERS } from './cursor-context.js';
import type { CursorSyntax } from './cursor-syntax.js';

const CLOSER_OF: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const BRACKETS = /[()[\]{}]/g;

/**
 * How much of what the editor has closed right after the cursor the suggestion replaces. An editor has closed `f(` to
 * `f(║)`. A suggestion such as `a): number {` contains its own closer and continues after it, so the editor's closer
 * must go. Each closer of the suggestion replaces one of the editor's, unless a bracket that is open before the cursor
 * still needs that one. The same for a quote, and for a separator or the opener of a block after them that the suggestion
 * ends with.
 *
 * @param text the suggestion
 * @returns in UTF-16 units
 */
export function countReplacedClosers(
  text: string,
  { linePrefix, lineSuffix }: CursorContext,
  languageId: string,
): number {
  if (!/^["'`)\]}]/.test(lineSuffix)) return 0;
  const rules = lexicalRulesFor(languageId);
  const { inside } = scanLine(linePrefix, INITIAL_STATE, rules);
  const isLeft = inside !== null && leavesString(text, linePrefix, languageId);
  const isGone = isLeft || (inside !== null && opensLonger(text, linePrefix, inside, rules));
  const quote = isGone && lineSuffix.startsWith(inside.close) ? inside.close.length : 0;
  const isText = inside !== null && !isLeft;
  const brackets = isText ? text : bracketsOfCode(text, linePrefix, rules);
  const before = isText ? linePrefix : bracketsOfCode(linePrefix, '', rules);
  const end = quote + countReplacedBrackets(brackets, before, lineSuffix.slice(quote));
  if (end === 0) return 0;
  const separator = lineSuffix[end] ?? '';
  if (/[;,]/.test(separator) && text.trimEnd().endsWith(separator)) return end + 1;
  return repeatsRest(text, brackets, lineSuffix.slice(end).trim()) ? lineSuffix.trimEnd().length : end;
}

/**
 * As `countReplacedClosers`, unless the grammar knows that brackets of lines above need what follows the cursor: the text
 * fits before it, and not in its place. So it is where the editor closes no brackets.
 */
export function replacedClosers(
  text: string,
  cursor: CursorContext,
  syntax: Pick<CursorSyntax, 'languageId' | 'errorsWith'>,
): number {
  const count = countReplacedClosers(text, cursor, syntax.languageId);
  if (count === 0 || syntax.errorsWith(text)?.after !== 0) return count;
  const replaced = syntax.errorsWith(text, count);
  return replaced !== null && replaced.after > 0 ? 0 : count;
}

/** What opens a block, or an arrow function's body. */
const BLOCK_OPENER = /^(?:(?:=> ?)?\{|=>|:)$/;

/** Whether a suggestion ends with the rest of the line, which opens a block, and opens nothing else: `a): A {` in `(║) {`. */
function repeatsRest(text: string, brackets: string, rest: string): boolean {
  if (!BLOCK_OPENER.test(rest) || !text.trimEnd().endsWith(rest)) return false;
  return unmatchedBrackets(brackets).openers.length === (rest.endsWith('{') ? 1 : 0);
}

/** How many brackets of the cursor's line have no partner there once the suggestion is inserted. */
export function unmatchedWith(text: string, cursor: CursorContext, languageId: string): number {
  const line = cursor.linePrefix + text + cursor.lineSuffix.slice(countReplacedClosers(text, cursor, languageId));
  const { openers, closers } = unmatchedBrackets(bracketsOfCode(line, '', lexicalRulesFor(languageId)));
  return openers.length + closers.length;
}

/** Whether a suggestion ends the string that the cursor is in, and goes on in code. Strings from lines above are unknown. */
export function leavesString(text: string, linePrefix: string, languageId: string): boolean {
  const rules = lexicalRulesFor(languageId);
  const { inside } = scanLine(linePrefix, INITIAL_STATE, rules);
  return (
    inside?.scope === 'string' &&
    text.includes(inside.close) &&
    scanLine(linePrefix + firstLineOf(text), INITIAL_STATE, rules).inside === null
  );
}

/** Whether a suggestion makes `"""` of the quote just typed, for a string that the editor's quote would not end. */
function opensLonger(text: string, linePrefix: string, { open, close }: Delimiter, rules: LexicalRules): boolean {
  if (!text.startsWith(open) || !linePrefix.endsWith(open)) return false;
  const longer = scanText(linePrefix + text, INITIAL_STATE, rules).inside;
  if (longer === null || longer.open.length <= open.length || !longer.open.startsWith(open)) return false;
  const [added, missing] = [longer.open.slice(open.length), longer.close.slice(close.length)];
  return text.startsWith(added) && !text.slice(added.length).endsWith(missing);
}

/**
 * A suggestion that leaves the cursor's string and begins another one, which the editor's quote would not end, as far as
 * it stays in the first: a model that sees the quote ends its text so that the quote may follow.
 */
export function withinString(text: string, cursor: CursorContext, languageId: string): string {
  const { linePrefix, lineSuffix } = cursor;
  const rules = lexicalRulesFor(languageId);
  const { inside } = scanLine(linePrefix, INITIAL_STATE, rules);
  if (inside?.scope !== 'string' || !lineSuffix.startsWith(inside.close) || !text.includes(inside.close)) return text;
  const line = linePrefix + firstLineOf(text);
  let end = -1;
  const onString = (start: number, stop: number): void => {
    if (start < linePrefix.length && stop > linePrefix.length) end = stop - inside.close.length - linePrefix.length;
  };
  const after = scanLine(line, INITIAL_STATE, rules, { onString }).inside;
  if (after?.scope !== 'string' || after.multiline || end <= 0) return text;
  const within = text.slice(0, end);
  if (after.close !== inside.close) return within;
  // The editor's quote ends the other string. Perhaps what stands behind that quote does not fit there.
  return unmatchedWith(within, cursor, languageId) < unmatchedWith(text, cursor, languageId) ? within : text;
}

function firstLineOf(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}

/**
 * What a suggestion that begins on a new line lacks at its end where the closer of its block is still the editor's: a
 * line for that closer. Without it, `{║}` would end as `  f();}`.
 *
 * @param replaced what `countReplacedClosers` says
 */
export function lineForCloser(text: string, { linePrefix, lineSuffix }: CursorContext, replaced: number): string {
  const opener = linePrefix.trimEnd().at(-1) ?? '';
  const isOpenBlock = opener in CLOSER_OF && lineSuffix[replaced] === CLOSER_OF[opener];
  if (!isOpenBlock || !/^[ \t]*\n/.test(text) || /\n[ \t]*$/.test(text.slice(-LINE_CHARACTERS))) return '';
  return `\n${/^[ \t]*/.exec(linePrefix)?.[0] ?? ''}`;
}

/** @param suggested and before: the brackets that count, of the suggestion and of the line before it */
function countReplacedBrackets(suggested: string, before: string, lineSuffix: string): number {
  const present = /^[)\]}]+/.exec(lineSuffix)?.[0];
  if (present === undefined) return 0;
  const brought = unmatchedBrackets(suggested).closers;
  const { openers } = unmatchedBrackets(before);
  const stillOpen = openers.slice(0, Math.max(0, openers.length - brought.length));

  // The last closer belongs to the outermost bracket.
  let needed = 0;
  for (const closer of [...present].reverse()) {
    if (CLOSER_OF[stillOpen[needed] ?? ''] === closer) needed += 1;
  }
  const spare = present.slice(0, present.length - needed);
  let replaced = 0;
  while (replaced < Math.min(spare.length, brought.length) && spare[replaced] === brought[replaced]) replaced += 1;
  return replaced;
}

/**
 * The text after the cursor without the closers that the editor added to the brackets just typed; the model sees this.
 * With the `)` of `def total(║)` a model assumes that the parameters are complete. Without it, it writes parameters and
 * closer, which then replaces the editor's closer.
 */
export function suffixBehindClosers({ linePrefix, lineSuffix, suffix }: CursorContext): string {
  const closers = /^([)\]}]+)[ \t]*$/.exec(lineSuffix)?.[1];
  if (closers === undefined) return suffix;
  const openers = unmatchedBrackets(linePrefix).openers.reverse();
  const added = [...closers].every((closer, index) => CLOSER_OF[openers[index] ?? ''] === closer);
  return added ? suffix.slice(closers.length) : suffix;
}

/**
 * The text after the cursor without what the editor may have added to the brackets and the quote just typed. A user who
 * types them along a suggestion changes nothing else there: it still fits. Where code follows on the line, a suggestion
 * may repeat that, and replaces it only together with the closers.
 */
export function suffixBehindPairs({ linePrefix, lineSuffix, suffix }: CursorContext, languageId: string): string {
  const quote = closingQuote(linePrefix, lineSuffix, languageId);
  if (quote === null) return suffix;
  const openers = unmatchedBrackets(linePrefix).openers.reverse();
  let count = 0;
  while (count < openers.length && CLOSER_OF[openers[count] ?? ''] === lineSuffix[quote + count]) count += 1;
  return ONLY_CLOSERS.test(lineSuffix.slice(quote + count)) ? suffix.slice(quote + count) : suffix;
}

const ONLY_CLOSERS = /^[)\]}]*[ \t]*$/;

/** The length of the quote after the cursor that ends its string; 0 where no quote follows, null where it is another. */
function closingQuote(linePrefix: string, lineSuffix: string, languageId: string): number | null {
  if (!/^["'`]/.test(lineSuffix)) return 0;
  const { inside } = scanLine(linePrefix, INITIAL_STATE, lexicalRulesFor(languageId));
  return inside?.scope === 'string' && lineSuffix.startsWith(inside.close) ? inside.close.length : null;
}

/** The brackets of a suggestion outside its strings and comments. */
function bracketsOfCode(text: string, linePrefix: string, rules: LexicalRules): string {
  const line = linePrefix + text;
  let brackets = '';
  const onBracket = (index: number): void => {
    if (index >= linePrefix.length) brackets += line[index];
  };
  scanText(line, INITIAL_STATE, rules, { onBracket });
  return brackets;
}

/** The brackets without a partner in the text, in order. */
function unmatchedBrackets(text: string): { readonly openers: string[]; readonly closers: string[] } {
  const openers: string[] = [];
  const closers: string[] = [];
  for (const [bracket] of text.matchAll(BRACKETS)) {
    if (bracket in CLOSER_OF) openers.push(bracket);
    else if (openers.length > 0 && CLOSER_OF[openers.at(-1) ?? ''] === bracket) openers.pop();
    else closers.push(bracket);
  }
  return { openers, closers };
}
