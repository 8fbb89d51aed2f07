import { splitsPair } from '../../protocol/cut-text.js';

/** What differs between two texts, as one replacement. Offsets are UTF-16 units of the old text. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/** Null where both are equal. Never cuts a surrogate pair. */
export function smallestChange(old: string, made: string): Change | null {
  if (old === made) return null;
  const most = Math.min(old.length, made.length);
  let start = 0;
  while (start < most && old.charCodeAt(start) === made.charCodeAt(start)) start++;
  if (splitsPair(old, start) || splitsPair(made, start)) start--;
  let same = 0;
  while (same < most - start && old.charCodeAt(old.length - 1 - same) === made.charCodeAt(made.length - 1 - same)) {
    same++;
  }
  if (same > 0 && (splitsPair(old, old.length - same) || splitsPair(made, made.length - same))) same--;
  return { start, end: old.length - same, newText: made.slice(start, made.length - same) };
}
