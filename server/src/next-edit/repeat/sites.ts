import { isWord, type Replacement, type Surroundings, surroundings } from './replacement.js';
import { tokensOf } from './token-difference.js';

/** A place where a replacement would apply. Offsets are UTF-16 units. */
export interface Site {
  readonly start: number;
  readonly end: number;
  readonly replacement: Replacement;
  readonly around: Surroundings;
}

/** Characters that are read on each side of a place. */
const READ_CHARACTERS = 200;
/** More places than this are not one person's next edits. */
const MOST_SITES = 200;
/** The grammar is asked about each. */
const MOST_WORDS = 1_000;

const WORD_BEFORE = /[\p{L}\p{N}_$]$/u;
const WORD_BEHIND = /^[\p{L}\p{N}_$]/u;

/**
 * Every place of a text at which a replacement has not been made and may be meant, in order. Work grows with the text.
 */
export function sitesOf(replacement: Replacement, text: string): readonly Site[] {
  const { from, to } = replacement;
  const wanted = from.join('');
  return placesOf(from, text, MOST_SITES)
    .filter((start) => !alreadyMade(text, start, from, to))
    .map((start) => {
      const end = start + wanted.length;
      const left = tokensOf(text.slice(Math.max(0, start - READ_CHARACTERS), start));
      const right = tokensOf(text.slice(end, end + READ_CHARACTERS));
      const around = surroundings([...left, wanted, ...right], left.length, left.length + 1);
      return { start, end, replacement, around };
    })
    .filter((site) => !isValueOfOther(site));
}

const VALUE = /^(?:\d.*|[Tt]rue|[Ff]alse|null|nil|None|undefined)$/;

/**
 * A number, `true` or `null` means something only with the name before it, and here that is another one. Of 20 such
 * places in 400 scenarios one was right (25 November 2026).
 */
function isValueOfOther({ replacement: { from, made }, around }: Site): boolean {
  if (from.length !== 1 || !VALUE.test(from[0] ?? '')) return false;
  const name = around.left.find(isWord);
  return made.every(({ left }) => left.find(isWord) !== name);
}

/** Where a word stands by itself, in order. */
export function wordsIn(text: string, word: string): readonly number[] {
  return placesOf([word], text, MOST_WORDS);
}

/** Where tokens stand by themselves, in order. */
export function placesOf(tokens: readonly string[], text: string, most: number): readonly number[] {
  const wanted = tokens.join('');
  const places: number[] = [];
  for (let start = text.indexOf(wanted); start >= 0 && places.length < most; ) {
    const end = start + wanted.length;
    if (standsAlone(text, start, end, tokens)) places.push(start);
    start = text.indexOf(wanted, Math.max(end, start + 1));
  }
  return places;
}

/** Whether the place begins and ends where its tokens do. A surrogate pair counts as one character. */
function standsAlone(text: string, start: number, end: number, tokens: readonly string[]): boolean {
  const [first = '', last = ''] = [tokens[0], tokens.at(-1)];
  if (isWord(first) && WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start))) return false;
  if (isWord(last) && WORD_BEHIND.test(text.slice(end, end + 2))) return false;
  // A token of blanks takes all the blanks there.
  return !(last.trim() === '' && /^[^\S\n]/.test(text.slice(end, end + 1)));
}

/** Whether the place is part of the new text, which may contain the old one: `new Error` after `Error`. */
export function alreadyMade(text: string, start: number, from: readonly string[], to: readonly string[]): boolean {
  const made = to.join('');
  let before = 0;
  for (let at = 0; at + from.length <= to.length; at++) {
    if (from.every((token, index) => to[at + index] === token) && text.startsWith(made, start - before)) return true;
    before += to[at]?.length ?? 0;
  }
  return false;
}
