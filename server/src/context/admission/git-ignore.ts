import { readFile, stat } from 'node:fs/promises';
import path from 'node:path/posix';
import ignore, { type Ignore } from 'ignore';
import { fileSystemPath } from '../file-location.js';

interface KnownRules {
  readonly rules: Ignore | null;
  readonly modified: number;
  checkedAt: number;
}

/** Changes of a rules file are noticed within this time. */
const RECHECK_MS = 2_000;

/** The rules of all `.gitignore` files from the file's folder up to the repository's root. */
export class GitIgnore {
  readonly #known = new Map<string, KnownRules>();

  /**
   * @param file absolute, with forward slashes
   * @param root where the search for rules ends if no repository contains the file
   */
  async ignores(file: string, root: string): Promise<boolean> {
    const top = (await this.#repositoryRoot(path.dirname(file))) ?? root;
    const parts = path.relative(top, file).split('/');
    if (parts[0] === '..' || parts[0] === '') return false;
    const rules: { folder: string; rules: Ignore }[] = [];
    const add = async (folder: string, name: string): Promise<void> => {
      const found = await this.#rulesOf(path.join(folder, name));
      if (found !== null) rules.push({ folder, rules: found });
    };
    await add(top, '.git/info/exclude');
    for (let depth = 1; depth <= parts.length; depth++) {
      await add(path.join(top, ...parts.slice(0, depth - 1)), '.gitignore');
      const isFolder = depth < parts.length;
      const entry = path.join(top, ...parts.slice(0, depth)) + (isFolder ? '/' : '');
      // A rule further down cannot include anything from an ignored folder.
      if (decide(entry, rules)) return true;
    }
    return false;
  }

  async #repositoryRoot(folder: string): Promise<string | null> {
    for (let each = folder; ; each = path.dirname(each)) {
      if ((await modificationTime(path.join(each, '.git'))) !== null) return each;
      if (each === path.dirname(each)) return null;
    }
  }

  async #rulesOf(file: string): Promise<Ignore | null> {
    const known = this.#known.get(file);
    const now = performance.now();
    if (known !== undefined && now - known.checkedAt < RECHECK_MS) return known.rules;
    const modified = (await modificationTime(file)) ?? -1;
    if (known?.modified === modified) {
      known.checkedAt = now;
      return known.rules;
    }
    const rules = modified < 0 ? null : ignore().add(await readFile(fileSystemPath(file), 'utf8'));
    this.#known.set(file, { rules, modified, checkedAt: now });
    return rules;
  }
}

/** The last rule that matches an entry decides; the rules of its own folder come last. */
function decide(entry: string, rules: readonly { folder: string; rules: Ignore }[]): boolean {
  let ignored = false;
  for (const { folder, rules: own } of rules) {
    const name = path.relative(folder, entry) + (entry.endsWith('/') ? '/' : '');
    const parent = path.dirname(name);
    const result = own.test(name);
    // The folder above was checked before, and a rule further down included it again.
    if (result.ignored && parent !== '.' && own.test(`${parent}/`).ignored) continue;
    if (result.ignored) ignored = true;
    else if (result.unignored) ignored = false;
  }
  return ignored;
}

/** In milliseconds; null if there is no such file. */
async function modificationTime(file: string): Promise<number | null> {
  try {
    return (await stat(fileSystemPath(file))).mtimeMs;
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
