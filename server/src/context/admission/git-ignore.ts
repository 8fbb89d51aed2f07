import { lstat, readFile, stat } from 'node:fs/promises';
import path from 'node:path/posix';
import type { Log } from '../../util/log.js';
import { fileSystemPath } from '../file-location.js';
import { type IgnoreRules, ignoredByRules, parseIgnoreRules } from './ignore-rules.js';

interface KnownRules {
  readonly rules: IgnoreRules | 'unreadable' | null;
  readonly modified: number;
  checkedAt: number;
}

/** Changes of a rules file are noticed within this time. */
const RECHECK_MS = 2_000;

/** Ten times the largest ones that people keep. Every path is compared with all rules. */
const MAXIMUM_BYTES = 65_536;

/**
 * The rules of all `.gitignore` files from the file's folder up to the repository's root. A rules file that is a link,
 * as git does not follow them, or too large counts as one that ignores everything in its folder.
 */
export class GitIgnore {
  readonly #known = new Map<string, KnownRules>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param file absolute, with forward slashes
   * @param root where the search for rules ends if no repository contains the file
   */
  async ignores(file: string, root: string): Promise<boolean> {
    const top = (await this.#repositoryRoot(path.dirname(file))) ?? root;
    const parts = path.relative(top, file).split('/');
    if (parts[0] === '..' || parts[0] === '') return false;
    const names = parts.map((part) => part.toLowerCase());
    const all: { readonly depth: number; readonly rules: IgnoreRules }[] = [];
    for (let depth = 0; depth < parts.length; depth++) {
      const folder = path.join(top, ...parts.slice(0, depth));
      for (const name of depth === 0 ? ['.git/info/exclude', '.gitignore'] : ['.gitignore']) {
        const rules = await this.#rulesOf(path.join(folder, name));
        if (rules === 'unreadable') return true;
        if (rules !== null) all.push({ depth, rules });
      }
      // A rule further down cannot include anything from an ignored folder.
      const isFolder = depth + 1 < parts.length;
      if (decide(names.slice(0, depth + 1), isFolder, all)) return true;
    }
    return false;
  }

  async #repositoryRoot(folder: string): Promise<string | null> {
    for (let each = folder; ; each = path.dirname(each)) {
      if (await exists(path.join(each, '.git'))) return each;
      if (each === path.dirname(each)) return null;
    }
  }

  async #rulesOf(file: string): Promise<KnownRules['rules']> {
    const known = this.#known.get(file);
    const now = performance.now();
    if (known !== undefined && now - known.checkedAt < RECHECK_MS) return known.rules;
    const facts = await unlessMissing(lstat(fileSystemPath(file)));
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

/** The rules of an entry's own folder come last and decide first. */
function decide(
  names: readonly string[],
  isFolder: boolean,
  all: readonly { readonly depth: number; readonly rules: IgnoreRules }[],
): boolean {
  for (const { depth, rules } of all.toReversed()) {
    const ignored = ignoredByRules(rules, names.slice(depth), isFolder);
    if (ignored !== null) return ignored;
  }
  return false;
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
  return error instanceof Error && 'code' in error && MISSING_CODES.has(String(error.code));
}

const MISSING_CODES = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']);
