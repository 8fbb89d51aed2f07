import type { CursorContext } from './cursor-context.js';

const CLOSER_OF: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const BRACKETS = /[()[\]{}]/g;

/**
 * How many of the closing brackets right after the cursor the suggestion replaces. An editor has closed `f(` to
 * `f(║)`; a suggestion such as `a): number {` brings its own closer and goes on behind it, so the editor's has to go.
 * One of the suggestion's closers stands for one of the editor's, unless a bracket that is open before the cursor
 * still needs that.
 * @param text the suggestion
 */
export function countReplacedClosers(text: string, { linePrefix, lineSuffix }: CursorContext): number {
  const present = /^[)\]}]*/.exec(lineSuffix)?.[0] ?? '';
  const brought = unmatchedBrackets(text).closers;
  const { openers } = unmatchedBrackets(linePrefix);
  const stillOpen = openers.slice(0, Math.max(0, openers.length - brought.length));

  // The outermost bracket takes the last closer.
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
 * What follows the cursor, as the model is to see it: without the closers that the editor added to the brackets just
 * typed. A model that is told of the `)` in `def total(║)` takes the parameters for finished; told of none, it goes on
 * with parameters and closer, and the closer then replaces the editor's.
 */
export function suffixBehindClosers({ linePrefix, lineSuffix, suffix }: CursorContext): string {
  const closers = /^([)\]}]+)[ \t]*$/.exec(lineSuffix)?.[1];
  if (closers === undefined) return suffix;
  const openers = unmatchedBrackets(linePrefix).openers.reverse();
  const added = [...closers].every((closer, index) => CLOSER_OF[openers[index] ?? ''] === closer);
  return added ? suffix.slice(closers.length) : suffix;
}

/** The brackets of a text that have no partner in it, in their order. */
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
