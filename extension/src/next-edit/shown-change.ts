import { type NextEdit, type Place, splitsPair, toLineFeeds } from '../../../server/protocol/index.js';

/** What a next edit changes, without the text around it that stays. Line ends are line feeds. */
export interface ShownChange {
  readonly start: Place;
  readonly end: Place;
  readonly oldText: string;
  readonly newText: string;
}

/**
 * The part of an edit that a person would call the change: an insertion or deletion alone, otherwise whole words. Null
 * if nothing changes.
 */
export function shownChange({ range, ...edit }: Pick<NextEdit, 'range' | 'oldText' | 'newText'>): ShownChange | null {
  const before = toLineFeeds(edit.oldText);
  const after = toLineFeeds(edit.newText);
  if (before === after) return null;
  let prefix = commonPrefix(before, after);
  let suffix = commonSuffix(before, after, prefix);
  const isReplacement = before.length > prefix + suffix && after.length > prefix + suffix;
  if (isReplacement) {
    const changed = before.slice(prefix, before.length - suffix) + after.slice(prefix, after.length - suffix);
    while (prefix > 0 && isWord(before[prefix - 1]) && isWord(changed[0])) prefix--;
    while (suffix > 0 && isWord(before[before.length - suffix]) && isWord(changed.at(-1))) suffix--;
  }
  const oldText = before.slice(prefix, before.length - suffix);
  const start = placeAfter(range.start, before.slice(0, prefix));
  return { start, end: placeAfter(start, oldText), oldText, newText: after.slice(prefix, after.length - suffix) };
}

/** The place after a text that begins at a place, whatever its line ends. */
export function placeAfter(start: Place, text: string): Place {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  if (lines.length === 1) return { line: start.line, character: start.character + last.length };
  return { line: start.line + lines.length - 1, character: last.length };
}

function commonPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return splitsPair(one, length) || splitsPair(other, length) ? length - 1 : length;
}

function commonSuffix(one: string, other: string, prefix: number): number {
  const most = Math.min(one.length, other.length) - prefix;
  let length = 0;
  while (length < most && one[one.length - 1 - length] === other[other.length - 1 - length]) length++;
  const isSplit = splitsPair(one, one.length - length) || splitsPair(other, other.length - length);
  return length > 0 && isSplit ? length - 1 : length;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}
