import type { TextChange } from './syntax.js';

/**
 * The one change that turns `before` into `after`: what lies between their common start and their common end. Null for
 * equal texts. Comparing the texts cannot disagree with them, as the editor's changes could.
 */
export function textDifference(before: string, after: string): TextChange | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let common = 0;
  while (
    common < shorter - start &&
    before.charCodeAt(before.length - 1 - common) === after.charCodeAt(after.length - 1 - common)
  ) {
    common++;
  }
  return { start, end: before.length - common, text: after.slice(start, after.length - common) };
}

export function applyChange(text: string, { start, end, text: inserted }: TextChange): string {
  return text.slice(0, start) + inserted + text.slice(end);
}
