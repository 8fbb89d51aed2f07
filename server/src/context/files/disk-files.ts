import { stat } from 'node:fs/promises';
import path from 'node:path/posix';
import { toLineFeeds } from '../../../protocol/index.js';
import type { Turn } from '../../util/background-queue.js';
import { ifReadable } from '../../util/if-readable.js';
import type { FileAdmission } from '../admission/file-admission.js';
import type { ResolvedImport } from '../context-source.js';
import { type ImportReference, importsOf, type LanguageSupport } from '../languages/language-support.js';
import { languageByPath } from '../languages/languages.js';
import { ImportPlaces } from '../projects/import-places.js';
import type { FileIndex } from './file-index.js';
import { fileSystemPath, locationOfKey } from './file-location.js';
import { nameOf } from './file-name.js';
import { FolderNames } from './folder-names.js';
import { indexFile } from './index-file.js';

const MAXIMUM_TARGETS = 64;
const FILES_OF_A_FOLDER = 12;
const MAXIMUM_REFERRED = 16;
const LONGEST_NAME = 1_000;
/** Files that mostly re-export declarations of others: their own imports are followed once. */
const RE_EXPORTING_FILE = /(?:^|\/)(?:index\.[cm]?[jt]sx?|__init__\.py|mod\.rs|lib\.rs)$/;

interface ReadAs {
  readonly family: string;
  readonly visited: number;
  /** Whether to also read what the file imports, if it re-exports that. */
  readonly follow?: boolean;
}

interface LastRead {
  /** When the file was changed, in milliseconds. */
  readonly modified: number;
  readonly followed: boolean;
}

/** Reads files of the workspace into the index: imported ones, and those beside open ones. */
export class DiskFiles {
  readonly #index: FileIndex;
  readonly #admission: FileAdmission;
  /** Whether a file is open: then its document counts, not the file on disk. */
  readonly #isOpen: (key: string) => boolean;
  /** The files that were read, though the index may have given up some since. */
  readonly #reads = new Map<string, LastRead>();
  readonly #places: ImportPlaces;

  constructor(index: FileIndex, admission: FileAdmission, isOpen: (key: string) => boolean) {
    this.#index = index;
    this.#admission = admission;
    this.#isOpen = isOpen;
    this.#places = new ImportPlaces(admission);
  }

  /**
   * Finds and reads the files that a file imports.
   *
   * @param follow whether to continue with imports of files that re-export
   */
  async resolveImports(
    references: readonly ImportReference[],
    language: LanguageSupport,
    from: string,
    root: string,
    turn: Turn,
    follow = true,
  ): Promise<readonly ResolvedImport[]> {
    const resolved: ResolvedImport[] = [];
    const targetsOf = await this.#places.of(language, from, root);
    const names = new FolderNames((folder) => this.#admission.names(folder), from, root);
    for (const reference of references) {
      await turn();
      const targets = (await targetsOf(reference)).slice(0, MAXIMUM_TARGETS);
      const keys = await this.#firstReadable(targets, names, from, language, turn, follow);
      // The user may open any of them later, though none was read from disk.
      const { names: imported, module } = reference;
      resolved.push({ names: imported, ...(module && { module }), targets: keys.length > 0 ? keys : targets });
    }
    return resolved;
  }

  /** Reads the files beside an opened one, those with similar names first. */
  async readFolder(from: string, language: LanguageSupport, turn: Turn): Promise<readonly string[]> {
    return this.#folder(path.dirname(from), from, language, turn);
  }

  /** Reads files that something refers to, whatever their language. */
  async readFiles(files: readonly string[], family: string, turn: Turn): Promise<void> {
    for (const file of files.slice(0, MAXIMUM_REFERRED)) {
      await turn();
      await this.#ensure(file, languageByPath(file)?.family ?? family, false, turn);
    }
  }

  /**
   * Reads a closed file from disk, whose content may differ from the document's. Removes it from the index if it may
   * not, or cannot, be read.
   */
  async readAgain(file: string, family: string, turn: Turn): Promise<void> {
    const known = this.#index.get(file);
    if (!(await this.#read(file, { family, visited: known?.visited ?? 0 }, turn))) this.#forget(file);
  }

  /**
   * Reads a file of the index again if it has changed on disk, and removes one that is no longer there: it was
   * renamed, or another branch was checked out.
   */
  async renew(file: string, turn: Turn): Promise<void> {
    const known = this.#index.get(file);
    if (known === null || this.#isOpen(file)) return;
    const read = this.#reads.get(file);
    if (read !== undefined && read.modified === (await this.#modificationTime(file))) return;
    const { family, visited } = known;
    if (!(await this.#read(file, { family, visited, follow: read?.followed === true }, turn))) this.#forget(file);
  }

  clear(): void {
    this.#reads.clear();
    this.#places.clear();
  }

  /** @returns whether the index now contains the file */
  async #read(file: string, as: ReadAs, turn: Turn): Promise<boolean> {
    const { revision } = this.#admission;
    const modified = await this.#modificationTime(file);
    const raw = modified === null ? null : await this.#admission.read(file);
    if (raw === null || modified === null) return false;
    await turn();
    const text = toLineFeeds(raw);
    const location = locationOfKey(file);
    const folder = this.#admission.folderOf(location);
    const language = languageByPath(file);
    const reExports = as.follow === true && folder !== null && language !== null && RE_EXPORTING_FILE.test(file);
    const imports = reExports
      ? await this.resolveImports(importsOf(language, text), language, file, folder, turn, false)
      : [];
    const { family, visited } = as;
    const path = nameOf(location, folder);
    const facts = { key: file, path, family, language, text, imports, visited, previous: null, time: 0 };
    const indexed = await indexFile(facts, turn);
    if (this.#isOpen(file) || this.#admission.revision !== revision) return false;
    this.#index.put(indexed);
    this.#reads.set(file, { modified, followed: as.follow === true });
    return true;
  }

  async #firstReadable(
    targets: readonly string[],
    names: FolderNames,
    from: string,
    language: LanguageSupport,
    turn: Turn,
    follow: boolean,
  ): Promise<readonly string[]> {
    for (const target of targets) {
      await turn();
      if (target === from || !(this.#isOpen(target) || (await names.mayHold(target)))) continue;
      if (target.endsWith('/')) {
        const files = await this.#folder(target.slice(0, -1), from, language, turn);
        if (files.length > 0) return files;
      } else if (await this.#ensure(target, language.family, follow, turn)) {
        return [target];
      }
    }
    return [];
  }

  async #folder(folder: string, from: string, language: LanguageSupport, turn: Turn): Promise<readonly string[]> {
    const stem = path.basename(from).split('.')[0] ?? '';
    const files = (await this.#admission.list(folder))
      .filter((file) => file !== from && language.extensions.includes(path.extname(file).toLowerCase()))
      .map((file) => ({ file, unlikeness: (isTest(file) ? LONGEST_NAME : 0) - likeness(file, stem) }))
      .sort((left, right) => left.unlikeness - right.unlikeness || (left.file < right.file ? -1 : 1));
    const read: string[] = [];
    for (const { file } of files.slice(0, FILES_OF_A_FOLDER)) {
      await turn();
      if (await this.#ensure(file, language.family, false, turn)) read.push(file);
    }
    return read;
  }

  async #ensure(file: string, family: string, follow: boolean, turn: Turn): Promise<boolean> {
    if (this.#isOpen(file)) return true;
    const modified = await this.#modificationTime(file);
    if (modified === null) {
      this.#reads.delete(file);
      return false;
    }
    const current = this.#isCurrent(file, modified, follow);
    if (current && (await this.#admission.admits(locationOfKey(file)))) {
      this.#index.touch(file);
      return true;
    }
    const as = { family, visited: this.#index.get(file)?.visited ?? 0, follow };
    if (!current && (await this.#read(file, as, turn))) return true;
    this.#forget(file);
    return this.#isOpen(file);
  }

  /** Whether the index has a file as it is on disk, and what it re-exports if that is to be followed. */
  #isCurrent(file: string, modified: number, follow: boolean): boolean {
    const known = this.#index.get(file);
    const read = this.#reads.get(file);
    if (known === null || read?.modified !== modified) return false;
    if (!follow || !RE_EXPORTING_FILE.test(file)) return true;
    const isGivenUp = (key: string) => this.#reads.has(key) && this.#index.get(key) === null;
    return read.followed && !known.imports.some(({ targets }) => targets.some(isGivenUp));
  }

  /** Null for what is no file that may be read. A path that a text names may lead to another machine: nobody asks. */
  async #modificationTime(file: string): Promise<number | null> {
    if (!this.#admission.readsIn(file)) return null;
    const facts = await ifReadable(stat(fileSystemPath(file)));
    return facts?.isFile() === true ? facts.mtimeMs : null;
  }

  /** A file that may not, or cannot, be read. Its document counts while it is open. */
  #forget(file: string): void {
    this.#reads.delete(file);
    if (!this.#isOpen(file)) this.#index.remove(file);
  }
}

/** A folder may hold more tests than its files that others use. */
function isTest(file: string): boolean {
  return /(?:^test_|[._](?:test|spec)\.)/.test(path.basename(file));
}

/** Length of two file names' common start. */
function likeness(file: string, stem: string): number {
  const name = path.basename(file);
  let common = 0;
  while (common < stem.length && name[common] === stem[common]) common++;
  return common;
}
