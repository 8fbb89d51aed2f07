import { inLowerCase, type LettersPlace, placeOfLetters } from '../webview/letters.js';

interface Ranked<T> {
  readonly file: T;
  readonly path: string;
  readonly rank: number;
}

const RANKS: Readonly<Record<LettersPlace, number>> = { start: 0, within: 1, apart: 2 };

/**
 * The files that the letters mean, the likeliest first: those with the letters in their name, then those with them in
 * their path; of equal ones the shorter path.
 *
 * @param most that are returned
 */
export function rankFiles<T extends { readonly path: string }>(
  files: Iterable<T>,
  letters: string,
  most: number,
): readonly T[] {
  const wanted = inLowerCase(letters);
  // Few are kept, so that the work grows with the number of files and no faster.
  const best: Ranked<T>[] = [];
  for (const file of files) {
    const path = inLowerCase(file.path);
    const rank = rankOf(path, wanted);
    if (rank === null) continue;
    const found = { file, path, rank };
    const at = best.findIndex((other) => compare(found, other) < 0);
    if (at >= 0) best.splice(at, 0, found);
    else if (best.length < most) best.push(found);
    if (best.length > most) best.pop();
  }
  return best.map(({ file }) => file);
}

function rankOf(path: string, letters: string): number | null {
  const inName = placeOfLetters(path.slice(path.lastIndexOf('/') + 1), letters);
  if (inName !== null) return RANKS[inName];
  const inPath = placeOfLetters(path, letters);
  // Nearly every long path has a few letters apart. With a slash a path is meant.
  if (inPath === null || (inPath === 'apart' && !letters.includes('/'))) return null;
  return RANKS.apart + 1 + RANKS[inPath];
}

function compare<T>(left: Ranked<T>, right: Ranked<T>): number {
  return left.rank - right.rank || left.path.length - right.path.length || (left.path < right.path ? -1 : 1);
}
