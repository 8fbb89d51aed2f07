/** The text as editors show it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
