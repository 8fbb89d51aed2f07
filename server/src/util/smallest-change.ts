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
  if (isHighSurrogate(old, start - 1)) start--;
  let same = 0;
  while (same < most - start && old.charCodeAt(old.length - 1 - same) === made.charCodeAt(made.length - 1 - same)) {
    same++;
  }
  if (same > 0 && isHighSurrogate(old, old.length - same - 1)) same--;
  return { start, end: old.length - same, newText: made.slice(start, made.length - same) };
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
