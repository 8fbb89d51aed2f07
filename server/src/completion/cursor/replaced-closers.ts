import { lexicalRulesFor } from '../../syntax/lexical-rules.js';
import { INITIAL_STATE, scanLine, scanText } from '../../syntax/lexical-scanner.js';
import type { CursorContext } from './cursor-context.js';

const CLOSER_OF: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const BRACKETS = /[()[\]{}]/g;

/**
 * How many of the closing brackets right after the cursor the suggestion replaces. An editor has closed `f(` to `f(║)`.
 * A suggestion such as `a): number {` contains its own closer and continues after it, so the editor's closer must go.
 * Each closer of the suggestion replaces one of the editor's, unless a bracket that is open before the cursor still
 * needs that one.
 *
 * @param text the suggestion
 */
export function countReplacedClosers(
  text: string,
  { linePrefix, lineSuffix }: CursorContext,
  languageId: string,
): number {
  const present = /^[)\]}]+/.exec(lineSuffix)?.[0];
  if (present === undefined) return 0;
  const brought = unmatchedBrackets(bracketsOfCode(text, linePrefix, languageId)).closers;
  const { openers } = unmatchedBrackets(linePrefix);
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

/** The brackets of a suggestion outside its strings and comments; all of them where the cursor is in one itself. */
function bracketsOfCode(text: string, linePrefix: string, languageId: string): string {
  const rules = lexicalRulesFor(languageId);
  if (scanLine(linePrefix, INITIAL_STATE, rules).inside !== null) return text;
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
