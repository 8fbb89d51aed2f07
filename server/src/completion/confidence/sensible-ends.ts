/** Where a suggestion may end early so that what is shown makes sense by itself. */

const WORD = /[\p{L}\p{N}_$]/u;
/** What may stand at the end of a shown text: a word, a closer, a quote, the end of an argument or statement. */
const LAST = /[\p{L}\p{N}_$)\]}'"`;,:]/u;

/**
 * The ends of a text at which nothing is cut in two, ascending; the whole text is the last. A blank never ends one.
 *
 * @param text a suggestion
 */
export function sensibleEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (let end = 1; end < text.length; end++) {
    const [last = '', next = ''] = [text[end - 1], text[end]];
    if (!LAST.test(last)) continue;
    if (WORD.test(last) && WORD.test(next)) continue;
    ends.push(end);
  }
  if (text !== '') ends.push(text.length);
  return ends;
}
