import { lstat, readFile, stat } from 'node:fs/promises';
import path from 'node:path/posix';
import { errorCode } from '../../util/error-code.js';
import type { Log } from '../../util/log.js';
import { fileSystemPath, pathFromFileSystem } from '../files/file-location.js';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.js';
import { RuledFolder } from './ruled-folder.js';
import { userIgnoreFile } from './user-ignore-file.js';

interface KnownRules {
  readonly rules: IgnoreRules | 'unreadable' | null;
  readonly modified: number;
  checkedAt: number;
}

/** Changes of a rules file are noticed within this time. */
const RECHECK_MS = 2_000;

/** Ten times the largest ones that people keep. Every path is compared with all rules. */
const MAXIMUM_BYTES = 65_536;

/** `.git` of a worktree or a submodule is a file that names a folder. */
const MAXIMUM_POINTER_BYTES = 4_096;

/** The most folders of a path in the repository: a longer path has no honest reason. */
const MAXIMUM_PARTS = 64;
const MAXIMUM_CHARACTERS = 1_024;

/**
 * The rules of all `.gitignore` files from the file's folder up to the repository's root, of its `info/exclude` and of the
 * user. A rules file that is a link, as git does not follow them in repositories, or too large counts as one that ignores
 * everything in its folder. So do rules that are too long. A path that is too long, or takes too long to compare, is
 * ignored.
 */
export class GitIgnore {
  readonly #known = new Map<string, KnownRules>();
  readonly #folders = new Map<string, RuledFolder>();
  /** `info/exclude` of each repository. */
  readonly #excludes = new Map<string, { readonly file: string; readonly checkedAt: number }>();
  readonly #log: Log;
  readonly #findUserFile: () => Promise<string>;
  #userFile: Promise<string> | null = null;

  /** @param findUserFile the user's own rules for all repositories */
  constructor(log: Log, findUserFile: () => Promise<string> = userIgnoreFile) {
    this.#log = log;
    this.#findUserFile = findUserFile;
  }

  /**
   * @param file absolute, with forward slashes
   * @param root where the search for rules ends if no repository contains the file
   */
  async ignores(file: string, root: string): Promise<boolean> {
    const top = (await this.#repositoryRoot(path.dirname(file))) ?? root;
    const parts = path.relative(top, file).split('/');
    if (parts[0] === '..' || parts[0] === '') return false;
    if (parts.length > MAXIMUM_PARTS || parts.join('/').length > MAXIMUM_CHARACTERS) return true;
    const names = parts.map((part) => part.toLowerCase());
    let above: RuledFolder | null = null;
    for (let depth = 0; depth < parts.length; depth++) {
      const folder: RuledFolder | null = await this.#folder(path.join(top, ...parts.slice(0, depth)), above);
      // A rule further down cannot include anything from an ignored folder.
      const isFolder = depth + 1 < parts.length;
      if (folder === null || folder.ignores(names.slice(0, depth + 1), isFolder)) return true;
      above = folder;
    }
    return false;
  }

  /** A folder with its current rules; null if these ignore everything in it. */
  async #folder(folder: string, above: RuledFolder | null): Promise<RuledFolder | null> {
    const rules: IgnoreRules[] = [];
    const files = [path.join(folder, '.gitignore')];
    if (above === null) {
      this.#userFile ??= this.#findUserFile();
      files.unshift(await this.#userFile, await this.#excludeOf(folder));
    }
    for (const file of files) {
      const each = await this.#rulesOf(file, file === (await this.#userFile));
      if (each === 'unreadable') return null;
      if (each !== null) rules.push(each);
    }
    const known = this.#folders.get(folder);
    const current = known?.isOf(above, rules) ? known : new RuledFolder(above, rules);
    this.#folders.set(folder, current);
    if (current.excess === null) return current;
    if (current !== known) this.#log.warn(`${folder} ${current.excess}, so no file in it is used.`);
    return null;
  }

  async #repositoryRoot(folder: string): Promise<string | null> {
    for (let each = folder; ; each = path.dirname(each)) {
      if (await exists(path.join(each, '.git'))) return each;
      if (each === path.dirname(each)) return null;
    }
  }

  async #excludeOf(root: string): Promise<string> {
    const known = this.#excludes.get(root);
    const now = performance.now();
    if (known !== undefined && now - known.checkedAt < RECHECK_MS) return known.file;
    const file = path.join(await gitFolder(path.join(root, '.git')), 'info/exclude');
    this.#excludes.set(root, { file, checkedAt: now });
    return file;
  }

  /** @param ofUser git follows a link to these rules, and goes without them where there is no file */
  async #rulesOf(file: string, ofUser: boolean): Promise<KnownRules['rules']> {
    const known = this.#known.get(file);
    const now = performance.now();
    if (known !== undefined && now - known.checkedAt < RECHECK_MS) return known.rules;
    const found = await unlessMissing((ofUser ? stat : lstat)(fileSystemPath(file)));
    const facts = ofUser && found?.isFile() !== true ? null : found;
    const modified = facts?.mtimeMs ?? -1;
    if (known?.modified === modified) {
      known.checkedAt = now;
      return known.rules;
    }
    const readable = facts?.isFile() === true && facts.size <= MAXIMUM_BYTES;
    const text = readable ? await unlessMissing(readFile(fileSystemPath(file), 'utf8')) : null;
    const rules = facts === null ? null : text === null ? 'unreadable' : parseIgnoreRules(text);
    if (rules === 'unreadable') {
      this.#log.warn(
        `${file} is a link, unreadable or larger than ${MAXIMUM_BYTES} bytes, so no file in its folder is used.`,
      );
    }
    this.#known.set(file, { rules, modified, checkedAt: now });
    return rules;
  }
}

/** Where git keeps what all worktrees of a repository share. */
async function gitFolder(git: string): Promise<string> {
  const own = (await folderNamedIn(git, /^gitdir: (.+)/)) ?? git;
  return (await folderNamedIn(path.join(own, 'commondir'), /^(.+)/)) ?? own;
}

/** Null where there is no such short file, or it names a share of a server, at which this machine would log in. */
async function folderNamedIn(file: string, pattern: RegExp): Promise<string | null> {
  const facts = await unlessMissing(lstat(fileSystemPath(file)));
  if (facts?.isFile() !== true || facts.size > MAXIMUM_POINTER_BYTES) return null;
  const text = await unlessMissing(readFile(fileSystemPath(file), 'utf8'));
  const named = pathFromFileSystem(pattern.exec(text ?? '')?.[1]?.trim() ?? '');
  if (named === '' || named.startsWith('//') || named.includes('\0')) return null;
  return path.resolve(path.dirname(file), named);
}

async function exists(file: string): Promise<boolean> {
  return (await unlessMissing(stat(fileSystemPath(file)))) !== null;
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Missing or inaccessible. */
export function isMissing(error: unknown): boolean {
  return MISSING_CODES.has(errorCode(error));
}

const MISSING_CODES: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENAMETOOLONG',
  'EINVAL',
]);
