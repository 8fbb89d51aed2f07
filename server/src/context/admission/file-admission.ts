import type { Dirent } from 'node:fs';
import { opendir, readFile, stat } from 'node:fs/promises';
import path from 'node:path/posix';
import { withoutTrailingSlashes } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import { withoutByteOrderMark } from '../files/byte-order-mark.js';
import { canBePath, type FileLocation, fileSystemPath, isInFolder, locationOf } from '../files/file-location.js';
import { excludedByGlobs } from './excluded-globs.js';
import { GitIgnore, isMissing } from './git-ignore.js';
import { realPath } from './real-path.js';
import { hasSecretName, holdsSecret } from './secret-files.js';
import { isUnsuitable, MAXIMUM_FILE_CHARACTERS } from './unsuitable-text.js';

/** Decides where context may come from. */
export interface WorkspaceFacts {
  readonly folderUris: readonly string[];
  /** Null if the client did not say. Unless it is true, context uses open documents only and reads nothing from disk. */
  readonly trusted: boolean | null;
  /** Globs, relative to the folders. */
  readonly exclude: readonly string[];
}

/** A cell's own scheme hides its notebook's, and that of an unsaved document the one of the file that it will be. */
const HIDING_SCHEMES: ReadonlySet<string> = new Set(['vscode-notebook-cell', 'untitled']);

/** The most entries of a folder: nobody finds anything in a larger one. */
const MAXIMUM_ENTRIES = 4_096;

/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const MAXIMUM_FILE_BYTES = MAXIMUM_FILE_CHARACTERS * 3;

/** Decides which files may be shown to the model. Refuses when in doubt. */
export class FileAdmission {
  readonly #log: Log;
  #gitIgnore: GitIgnore;
  #folders: readonly FileLocation[] = [];
  #trusted: boolean | null = null;
  #isExcluded: (path: string) => boolean = () => false;
  #revision = 0;

  constructor(log: Log) {
    this.#log = log;
    this.#gitIgnore = new GitIgnore(log);
  }

  /** Another one after each `update`: what was decided before counts no more. */
  get revision(): number {
    return this.#revision;
  }

  update({ folderUris, trusted, exclude }: WorkspaceFacts): void {
    this.#revision++;
    this.#folders = folderUris.map((uri) => {
      const location = locationOf(uri);
      return { ...location, path: withoutTrailingSlashes(location.path) || location.path.slice(0, 1) };
    });
    this.#trusted = trusted;
    this.#gitIgnore = new GitIgnore(this.#log);
    const { excludes, problems } = excludedByGlobs(exclude);
    this.#isExcluded = excludes;
    for (const problem of problems) {
      this.#log.warn(
        `A glob of inkling.context.exclude or files.exclude cannot be used, so no other file is used: ${problem}`,
      );
    }
  }

  /** The innermost workspace folder of a file; null outside all of them. */
  folderOf({ scheme, authority, path: file }: FileLocation): string | null {
    const isHidden = HIDING_SCHEMES.has(scheme);
    const holding = this.#folders.filter(
      (folder) =>
        (isHidden || folder.scheme === scheme) && folder.authority === authority && isInFolder(file, folder.path),
    );
    return innermost(holding.map((folder) => folder.path));
  }

  /** Whether other documents' prompts may show an open document. `admitsText` must admit its text too. */
  async admits(location: FileLocation): Promise<boolean> {
    if (location.path === '') return true;
    const folder = this.folderOf(location);
    if (folder === null && this.#trusted === false) return false;
    if (!this.#admitsName(location.path, folder)) return false;
    const onDisk = location.scheme === 'file' || HIDING_SCHEMES.has(location.scheme);
    if (!onDisk) return true;
    // On a share of a Windows server (file://server/share) nobody looks for ignore rules and links: a path that a file of
    // the workspace names must not make this machine log in somewhere.
    return location.authority === '' && (await this.#admitsOnDisk(location.path, folder));
  }

  /** Whether a text may be shown, from any source. */
  admitsText(text: string): boolean {
    return !isUnsuitable(text) && !holdsSecret(text);
  }

  /** Whether files at such a place may be read at all. Asks the file system nothing. */
  readsIn(file: string): boolean {
    return this.#trusted === true && this.folderOf({ key: file, scheme: 'file', authority: '', path: file }) !== null;
  }

  /** A file's text; null if it may not be shown, cannot be read, or is not text. */
  async read(file: string): Promise<string | null> {
    if (this.#trusted !== true) return null;
    const folder = this.folderOf({ key: file, scheme: 'file', authority: '', path: file });
    if (folder === null || !this.#admitsName(file, folder)) return null;
    if (!(await this.#admitsOnDisk(file, folder))) return null;
    const text = await readText(file);
    return text !== null && this.admitsText(text) ? text : null;
  }

  /** Paths of the files directly in a folder of the workspace, in any order; empty if nothing may be read there. */
  async list(folder: string): Promise<readonly string[]> {
    const entries = (await this.#entries(folder)) ?? [];
    return entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(folder, name));
  }

  /** The names of everything directly in a folder of the workspace; null where there may be more. */
  async names(folder: string): Promise<readonly string[] | null> {
    const entries = await this.#entries(folder);
    return entries === null || entries.length === MAXIMUM_ENTRIES ? null : entries.map(({ name }) => name);
  }

  /** Null for a folder in which nothing may be read, or that is not there. */
  async #entries(folder: string): Promise<readonly Dirent[] | null> {
    if (this.#trusted !== true) return null;
    const inside = this.folderOf({ key: '', scheme: 'file', authority: '', path: path.join(folder, '-') });
    if (inside === null || !canBePath(folder)) return null;
    try {
      const entries: Dirent[] = [];
      for await (const entry of await opendir(fileSystemPath(folder))) {
        if (entries.push(entry) === MAXIMUM_ENTRIES) break;
      }
      return entries;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  #admitsName(file: string, folder: string | null): boolean {
    if (!canBePath(file) || hasSecretName(file)) return false;
    return !this.#isExcluded(folder === null ? file : path.relative(folder, file));
  }

  /** A link that leads out of its workspace folder counts as outside. It hides no secret name, and no exclusion. */
  async #admitsOnDisk(file: string, folder: string | null): Promise<boolean> {
    const real = await realPath(file);
    if (hasSecretName(real)) return false;
    if (folder !== null) {
      const realFolder = await realPath(folder);
      if (!isInFolder(real, realFolder) && this.#trusted !== null) return false;
      if (await this.#gitIgnore.ignores(file, folder)) return false;
    }
    // The rules of the place where the file lies apply too, also if the editor opened it by a way from outside.
    const home = folder !== null && real === file ? null : await this.#realFolderOf(real);
    if (home === null) return true;
    return !this.#isExcluded(path.relative(home, real)) && !(await this.#gitIgnore.ignores(real, home));
  }

  /** The innermost workspace folder of a file, both with links followed; null outside all of them. */
  async #realFolderOf(real: string): Promise<string | null> {
    const local = this.#folders.filter(({ scheme, authority }) => scheme === 'file' && authority === '');
    const folders = await Promise.all(local.map((folder) => realPath(folder.path)));
    return innermost(folders.filter((folder) => isInFolder(real, folder)));
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    const facts = await stat(fileSystemPath(file));
    if (!facts.isFile() || facts.size > MAXIMUM_FILE_BYTES) return null;
    return withoutByteOrderMark(await readFile(fileSystemPath(file), 'utf8'));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The innermost of folders that contain the same file; null for none. */
function innermost(folders: readonly string[]): string | null {
  return folders.reduce<string | null>((best, each) => (each.length > (best?.length ?? -1) ? each : best), null);
}
