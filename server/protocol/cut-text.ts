/** Whether an index is between the halves of a surrogate pair. */
export function splitsPair(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > LAST_SINGLE_UNIT;
}

const LAST_SINGLE_UNIT = 0xffff;

/**
 * The beginning of a text, at most `longest` UTF-16 units. It ends between characters as people see them, such as emoji
 * of several code points. Only a character that is longer than any is cut, between its code points.
 */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = wholePair(text, Math.max(0, longest - LONGEST_CHARACTER));
  // Whether a character ends at the cut depends on the code point after it, too.
  const around = text.slice(start, longest + 2);
  const cutCharacter =
    characters()
      .segment(around)
      .containing(longest - start)?.index ?? 0;
  return text.slice(0, cutCharacter > 0 ? start + cutCharacter : wholePair(text, longest));
}

function wholePair(text: string, index: number): number {
  return splitsPair(text, index) ? index - 1 : index;
}

/** In UTF-16 units. A family of four with skin colours has 19. */
const LONGEST_CHARACTER = 64;

/** As `cutText`, with an ellipsis in place of what is left out. */
export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${cutText(text, longest - 1)}…`;
}

let segmenter: Intl.Segmenter | null = null;

/** Made for the first text that is cut: the first one takes some 15 ms. */
function characters(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter;
}
