import path from 'node:path/posix';
import { isRecord, isText } from '../../../protocol/index.js';
import { withoutByteOrderMark } from '../files/byte-order-mark.js';
import { linesOf } from '../languages/import-statements.js';
import { type StarPattern, starPattern, starTargets } from './star-patterns.js';

const MOST_CHARACTERS = 65_536;
const MOST_PATTERNS = 16;
const MOST_MAPPED = 256;
const MOST_TARGETS = 4;
const MOST_FILES = 24;
const LONGEST_PATH = 256;
const DEEPEST_CONDITION = 4;

/** What a `package.json` says of imports. */
export interface PackageJson {
  readonly name: string | null;
  /** Globs of the folders of the workspace's packages. */
  readonly workspaces: readonly string[];
  /** What its name leads to without `exports`, the most helpful first. */
  readonly entries: readonly string[];
  /** Of each name, such as `./button` or `./*`, the files for all conditions, the most helpful first. */
  readonly exports: readonly StarPattern[];
  /** Names that begin with `#`, for its own files. */
  readonly imports: readonly StarPattern[];
}

/** Null for a text that is no `package.json`. */
export function parsePackageJson(text: string): PackageJson | null {
  if (text.length > MOST_CHARACTERS) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(withoutByteOrderMark(text));
  } catch {
    // It is being edited, or it is none.
    return null;
  }
  if (!isRecord(parsed)) return null;
  const { name, workspaces, source, types, typings, module: forBundlers, main } = parsed;
  return {
    name: isText(name) ? name : null,
    workspaces: shortTexts(isRecord(workspaces) ? workspaces.packages : workspaces),
    entries: [source, types, typings, forBundlers, main].filter(isText).filter(isShort),
    exports: mappingsOf(parsed.exports),
    imports: mappingsOf(parsed.imports),
  };
}

/** The globs in the list `packages` of a `pnpm-workspace.yaml`. */
export function parsePnpmWorkspace(text: string): readonly string[] {
  const patterns: string[] = [];
  let isListed = false;
  for (const line of linesOf(text.slice(0, MOST_CHARACTERS))) {
    const item = /^\s*-\s+(?:"([^"]*)"|'([^']*)'|([^\s#"']+))/.exec(line.slice(0, LONGEST_PATH));
    if (/^packages\s*:/.test(line)) isListed = true;
    else if (/^\s*(?:#|$)/.test(line)) continue;
    else if (item === null) isListed = false;
    else if (isListed) patterns.push(item[1] ?? item[2] ?? item[3] ?? '');
  }
  return patterns.slice(0, MOST_PATTERNS);
}

/**
 * The files that a name of a package may lead to, relative to its folder, the most helpful first.
 *
 * @param part what follows the package's name, such as `/button`
 */
export function filesOfPackage({ exports, entries }: PackageJson, part: string): readonly string[] {
  const exported = targetsOf(exports, `.${part}`);
  const named = part === '' ? [...exported, ...entries] : exported;
  const usual = part === '' ? ['src/index', 'index'] : [part.slice(1), `src${part}`];
  return [...new Set([...named, ...usual].flatMap(filesOfTarget))].slice(0, MOST_FILES);
}

/** The files that a name of the package's own may lead to, such as `#internal/a`. */
export function filesOfOwnName({ imports }: PackageJson, name: string): readonly string[] {
  return [...new Set(targetsOf(imports, name).flatMap(filesOfTarget))].slice(0, MOST_FILES);
}

function shortTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.slice(0, MOST_PATTERNS).filter(isText).filter(isShort) : [];
}

function isShort(text: string): boolean {
  return text.length <= LONGEST_PATH;
}

function mappingsOf(value: unknown): readonly StarPattern[] {
  // Without keys of parts it is about the package itself.
  const isMap = isRecord(value) && Object.keys(value).some((key) => /^[.#]/.test(key));
  const pairs: [string, unknown][] = isMap ? Object.entries(value) : [['.', value]];
  return pairs
    .slice(0, MOST_MAPPED)
    .filter(([key]) => isShort(key))
    .map(([key, each]) => starPattern(key, targetsIn(each)))
    .filter((pattern) => pattern !== null)
    .filter(({ targets }) => targets.length > 0);
}

/** Sources come first, then declarations: built files tell the least. */
function targetsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const collect = (each: unknown, depth: number): void => {
    if (found.length >= MOST_TARGETS * 2 || depth > DEEPEST_CONDITION) return;
    if (isText(each) && isShort(each)) found.push(each);
    else if (Array.isArray(each)) for (const item of each.slice(0, MOST_TARGETS)) collect(item, depth + 1);
    else if (isRecord(each)) for (const item of Object.values(each).slice(0, MOST_PATTERNS)) collect(item, depth + 1);
  };
  collect(value, 0);
  const rank = (target: string) => (/\.d\.[cm]?ts$/.test(target) ? 1 : /\.[cm]?tsx?$/.test(target) ? 0 : 2);
  return found.sort((left, right) => rank(left) - rank(right)).slice(0, MOST_TARGETS);
}

/** As for Node, a star stands for something. */
function targetsOf(mappings: readonly StarPattern[], key: string): readonly string[] {
  const fitting = mappings.filter(({ before, after }) => after === null || key.length > before.length + after.length);
  return starTargets(fitting, key) ?? [];
}

/** Folders of what a build writes, mostly from `src`. */
const OUTPUT = /^(?:dist|build|out|output|lib|esm?|cjs|types|typings)$/;
const EXTENSION = /(?:\.d)?\.[cm]?[jt]sx?$/;
const SOURCES = ['.ts', '.tsx', '.js', '.jsx'];

/** The source of a file that a package names, that file, and what its name stands for without an extension. */
function filesOfTarget(target: string): readonly string[] {
  const file = path.normalize(target);
  // On Windows a whole path may name another machine.
  if (/^(?:\.\.(?:\/|$)|[/\\])|[\\:\0]/.test(file)) return [];
  if (/\.(?:vue|svelte)$/.test(file)) return [file];
  const isDeclared = /\.d\.[cm]?ts$/.test(file);
  if (!isDeclared && /\.[cm]?tsx?$/.test(file)) return [file];
  const bare = file.replace(EXTENSION, '').replace(/\/$/, '');
  const parts = bare.split('/');
  const source = parts.findIndex((part) => !OUTPUT.test(part) && part !== 'src');
  const isBuilt = source > 0 && OUTPUT.test(parts[0] ?? '');
  const sources = isBuilt ? SOURCES.map((extension) => path.join('src', ...parts.slice(source)) + extension) : [];
  if (isDeclared) return [...sources, file];
  if (bare !== file) return [...sources, `${bare}.ts`, `${bare}.tsx`, `${bare}.d.ts`, file];
  // A folder, or a file of another language.
  const index = ['.ts', '.tsx', '.js'].map((extension) => `${bare}/index${extension}`);
  return [...sources, ...['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs'].map((each) => `${bare}${each}`), ...index];
}
