import { withoutByteOrderMark } from '../files/byte-order-mark.js';
import { compilePathPattern, matchesPath, type PathPattern, type Steps } from './path-pattern.js';

interface Rule {
  readonly pattern: PathPattern;
  /** `!pattern`: what it matches is not ignored after all. */
  readonly negated: boolean;
  readonly onlyFolders: boolean;
  /** Length of its line. */
  readonly characters: number;
}

/** The rules of one `.gitignore`, in order: the last one that matches decides. */
export type IgnoreRules = readonly Rule[];

/** Reads the rules as git does, which skips a byte order mark. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const lines = withoutByteOrderMark(text).split('\n');
  return lines.flatMap((line) => parseRule(line) ?? []);
}

/** Length of all rules together. Comments are none. */
export function ruleCharacters(rules: IgnoreRules): number {
  return rules.reduce((sum, { characters }) => sum + characters, 0);
}

/** Length of the longest rule; 0 without any. */
export function longestRule(rules: IgnoreRules): number {
  return rules.reduce((longest, { characters }) => Math.max(longest, characters), 0);
}

/**
 * @param names the parts of a path relative to the rules' folder, in lower case
 * @returns null where no rule says anything
 */
export function ignoredByRules(
  rules: IgnoreRules,
  names: readonly string[],
  isFolder: boolean,
  steps?: Steps,
): boolean | null {
  for (const { pattern, negated, onlyFolders } of rules.toReversed()) {
    if ((isFolder || !onlyFolders) && matchesPath(pattern, names, steps)) return !negated;
  }
  return null;
}

function parseRule(line: string): Rule | null {
  if (line.startsWith('#')) return null;
  const negated = line.startsWith('!');
  const written = withoutEndBlanks(negated ? line.slice(1) : line);
  const onlyFolders = written.endsWith('/');
  const path = onlyFolders ? written.slice(0, -1) : written;
  const anchored = path.includes('/');
  const relative = path.startsWith('/') ? path.slice(1) : path;
  if (relative === '') return null;
  const inAnyFolder = anchored ? relative : `**/${relative}`;
  // At the end, `**` matches what is in the folder, not the folder.
  const pattern = compilePathPattern(inAnyFolder.endsWith('/**') ? `${inAnyFolder}/*` : inAnyFolder);
  return { pattern, negated, onlyFolders, characters: line.length };
}

/** A backslash keeps the blank after it. */
function withoutEndBlanks(line: string): string {
  let end = line.endsWith('\r') ? line.length - 1 : line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t') && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}
