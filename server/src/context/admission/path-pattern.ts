/**
 * Patterns for paths, as globs and `.gitignore` have them: `*`, `?`, `[a-z]` within a name, `**` for any folders.
 * Matching takes at most the product of the two lengths in steps, for any pattern. A regular expression made from a
 * pattern of a hostile workspace may never end.
 */
export type PathPattern = readonly (NamePattern | typeof ANY_FOLDERS)[];

/** How much searches may still take. One that runs out finds nothing, and leaves less than 0. */
export interface Steps {
  left: number;
}

const ANY_FOLDERS = '**';

type NamePattern = readonly Token[];

type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'anyCharacter' }
  | { readonly kind: 'anyRun' }
  | { readonly kind: 'oneOf'; readonly negated: boolean; readonly ranges: readonly CharacterRange[] };

/** Both ends are in it. Those of a set are in order, and apart. */
type CharacterRange = readonly [first: string, last: string];

/**
 * Case does not count. A backslash takes the next character literally.
 *
 * @param pattern with forward slashes, without one at either end
 */
export function compilePathPattern(pattern: string): PathPattern {
  return pattern
    .toLowerCase()
    .split('/')
    .map((name) => (name === ANY_FOLDERS ? ANY_FOLDERS : compileName(name)));
}

/** A pattern that also matches everything below what it matches. */
export function withEverythingBelow(pattern: PathPattern): PathPattern {
  return [...pattern, ANY_FOLDERS];
}

/** @param names the parts of a path, in lower case */
export function matchesPath(
  pattern: PathPattern,
  names: readonly string[],
  steps: Steps = { left: Number.POSITIVE_INFINITY },
): boolean {
  const matches = (part: PathPattern[number], name: string): boolean => matchesName(part, name, steps);
  return matchesInOrder(pattern, names, (each) => each === ANY_FOLDERS, matches, steps);
}

function matchesName(pattern: PathPattern[number], name: string, steps: Steps): boolean {
  if (pattern === ANY_FOLDERS) return false;
  return matchesInOrder(pattern, name, ({ kind }) => kind === 'anyRun', matchesCharacter, steps);
}

function matchesCharacter(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'character':
      return token.character === character;
    case 'oneOf':
      return isInRanges(token.ranges, character) !== token.negated;
    default:
      return true;
  }
}

/** In a few steps, since a hostile set has hundreds of ranges. */
function isInRanges(ranges: readonly CharacterRange[], character: string): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] as CharacterRange;
    if (character > last) low = middle + 1;
    else if (character < first) high = middle;
    else return true;
  }
  return false;
}

/**
 * Whether items match a pattern in which a star stands for any number of them. Only the last star is tried again: what
 * an earlier one could take, the last one takes too.
 */
function matchesInOrder<Part, Item>(
  pattern: ArrayLike<Part>,
  items: ArrayLike<Item>,
  isStar: (part: Part) => boolean,
  matches: (part: Part, item: Item) => boolean,
  steps: Steps,
): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let takenByStar = 0;
  while (at < items.length) {
    steps.left -= 1;
    if (steps.left < 0) return false;
    const next = pattern[part];
    if (next !== undefined && isStar(next)) {
      star = part++;
      takenByStar = at;
    } else if (next !== undefined && matches(next, items[at] as Item)) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++takenByStar;
    } else return false;
  }
  while (part < pattern.length && isStar(pattern[part] as Part)) part++;
  return part === pattern.length;
}

function compileName(name: string): NamePattern {
  const tokens: Token[] = [];
  for (let at = 0; at < name.length; ) {
    const character = name[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'anyRun') tokens.push({ kind: 'anyRun' });
      at++;
    } else if (character === '?') {
      tokens.push({ kind: 'anyCharacter' });
      at++;
    } else if (character === '[') {
      const end = endOfSet(name, at);
      tokens.push(end < 0 ? { kind: 'character', character } : compileSet(name.slice(at + 1, end)));
      at = end < 0 ? at + 1 : end + 1;
    } else {
      const escaped = character === '\\' && at + 1 < name.length;
      tokens.push({ kind: 'character', character: escaped ? (name[at + 1] ?? '') : character });
      at += escaped ? 2 : 1;
    }
  }
  return tokens;
}

/** Index of the bracket that closes a set; -1 without one. A bracket right at the start belongs to the set. */
function endOfSet(name: string, start: number): number {
  const first = /[!^]/.test(name[start + 1] ?? '') ? start + 2 : start + 1;
  for (let at = first; at < name.length; at++) {
    if (name[at] === '\\') at++;
    else if (name[at] === ']' && at > first) return at;
  }
  return -1;
}

function compileSet(inner: string): Token {
  const negated = /^[!^]/.test(inner);
  const characters = inner.slice(negated ? 1 : 0).replace(/\\(.)/g, '$1');
  const ranges: CharacterRange[] = [];
  for (let at = 0; at < characters.length; at++) {
    const first = characters[at] ?? '';
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    ranges.push([first, isRange ? (characters[at + 2] ?? first) : first]);
    if (isRange) at += 2;
  }
  return { kind: 'oneOf', negated, ranges: inOrder(ranges) };
}

/** One range for those that share characters, none for those that have none. */
function inOrder(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const joined: CharacterRange[] = [];
  const sorted = ranges.filter(([first, last]) => first <= last).sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [first, last] of sorted) {
    const before = joined.at(-1);
    if (before === undefined || first > before[1]) joined.push([first, last]);
    else if (last > before[1]) joined[joined.length - 1] = [before[0], last];
  }
  return joined;
}
