/** Where typed letters stand in a name, better places first. */
export type LettersPlace = 'start' | 'within' | 'apart';

/**
 * @param letters lower case, as `name` is
 * @returns null if the name does not have them in this order
 */
export function placeOfLetters(name: string, letters: string): LettersPlace | null {
  const at = name.indexOf(letters);
  if (at >= 0) return at === 0 ? 'start' : 'within';
  let from = 0;
  for (const letter of letters) {
    const found = name.indexOf(letter, from);
    if (found < 0) return null;
    from = found + letter.length;
  }
  return 'apart';
}

/** For comparing without regard to case, and to the form in which a file system writes accents. */
export function inLowerCase(text: string): string {
  return text.toLowerCase().normalize();
}
