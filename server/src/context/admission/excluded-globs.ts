import { compilePathPattern, matchesPath, type PathPattern, type Steps, withEverythingBelow } from './path-pattern.js';

/** Nobody writes longer globs. Together they are limited too, since every path is compared with all of them. */
const MAXIMUM_GLOB_CHARACTERS = 512;
const MAXIMUM_CHARACTERS = 65_536;
/** What the braces of one glob may become. */
const MAXIMUM_ALTERNATIVES = 64;
/** In UTF-16 units. No file system has longer paths. */
const MAXIMUM_PATH_CHARACTERS = 4_096;
/** The most steps of one decision: some tens of milliseconds. A workspace's settings may have globs that take more. */
const MAXIMUM_STEPS = 1_000_000;

export interface ExcludedGlobs {
  /**
   * Takes a path relative to the workspace folder, or an absolute path of a file outside. One that is too long, or takes too
   * long to compare, is excluded.
   */
  readonly excludes: (path: string) => boolean;
  /** Why each glob that cannot be read cannot be. While there is one, every file is excluded. */
  readonly problems: readonly string[];
}

/**
 * Reads globs as VS Code does: relative to the workspace folder, `{a,b}` for alternatives, and a folder includes
 * everything in it. As in .gitignore, a glob without a slash matches that name in any folder. A glob that cannot be read
 * excludes everything, since nobody knows what it was meant to hide.
 */
export function excludedByGlobs(globs: readonly string[]): ExcludedGlobs {
  const written = globs.map(normalized).filter((glob) => glob !== '');
  const problems: string[] = [];
  const patterns: PathPattern[] = [];
  let left = MAXIMUM_CHARACTERS;
  for (const glob of written) {
    const problem = problemOf(glob);
    const alternatives = problem === null ? alternativesOf(glob) : null;
    left -= alternatives?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    if (alternatives === null || left < 0) {
      const reason = problem ?? (left < 0 ? 'the globs are too long together' : 'it has too many alternatives');
      problems.push(`${JSON.stringify(glob.slice(0, MAXIMUM_GLOB_CHARACTERS))}: ${reason}`);
      break;
    }
    patterns.push(...alternatives.map((each) => withEverythingBelow(compilePathPattern(each))));
  }
  if (problems.length > 0) return { excludes: () => true, problems };
  return { excludes: (path) => isExcluded(path, patterns), problems };
}

function isExcluded(path: string, patterns: readonly PathPattern[]): boolean {
  if (patterns.length === 0) return false;
  if (path.length > MAXIMUM_PATH_CHARACTERS) return true;
  const names = path.toLowerCase().split('/').filter(Boolean);
  const steps: Steps = { left: MAXIMUM_STEPS };
  return patterns.some((pattern) => matchesPath(pattern, names, steps)) || steps.left < 0;
}

function normalized(glob: string): string {
  const trimmed = glob.trim().slice(0, MAXIMUM_GLOB_CHARACTERS + 1);
  const slashed = trimmed.replaceAll('\\', '/').replace(/^\.?\//, '');
  let end = slashed.length;
  while (slashed[end - 1] === '/') end--;
  return slashed.slice(0, end);
}

function problemOf(glob: string): string | null {
  if (glob.length > MAXIMUM_GLOB_CHARACTERS) return `it is longer than ${MAXIMUM_GLOB_CHARACTERS} characters`;
  // VS Code has none of these; taken literally they would hide nothing.
  if (/^!|[?*+@!]\(/.test(glob)) return '"!" and brackets such as "+(a|b)" are not supported';
  return null;
}

/** A glob without braces for each of its alternatives; null for too many. */
function alternativesOf(glob: string): readonly string[] | null {
  const waiting = [glob];
  const done: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = innermostBraces(next);
    if (braces === null) done.push(next.includes('/') ? next : `**/${next}`);
    else waiting.push(...braces);
    if (waiting.length + done.length > MAXIMUM_ALTERNATIVES) return null;
  }
  return done;
}

/** The glob with each alternative of its last innermost braces in their place; null without braces. */
function innermostBraces(glob: string): readonly string[] | null {
  const open = glob.lastIndexOf('{');
  const close = open < 0 ? -1 : glob.indexOf('}', open);
  if (close < 0) return null;
  const [before, after] = [glob.slice(0, open), glob.slice(close + 1)];
  return glob
    .slice(open + 1, close)
    .split(',')
    .map((alternative) => before + alternative + after);
}
