import { toLineFeeds } from '../../protocol/index.js';
import type { BackgroundQueue, Turn } from '../util/background-queue.js';
import type { FileAdmission } from './admission/file-admission.js';
import { MAXIMUM_FILE_CHARACTERS } from './admission/unsuitable-text.js';
import type { ResolvedImport } from './context-source.js';
import type { DiskFiles } from './files/disk-files.js';
import type { FileIndex } from './files/file-index.js';
import { type FileLocation, locationOf } from './files/file-location.js';
import { nameOf } from './files/file-name.js';
import { indexFile } from './files/index-file.js';
import { importsOf, type LanguageSupport } from './languages/language-support.js';
import { familyOf, languageById } from './languages/languages.js';

/** An open document, as the editor keeps it up to date. */
export interface LiveDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  getText(): string;
}

export interface OpenDocumentsListener {
  /** The index has new content. */
  onIndexed(): void;
  /** An indexed file may no longer be shown. */
  onRevoked(key: string): void;
}

interface OpenDocument {
  readonly document: LiveDocument;
  readonly location: FileLocation;
  /** Order of the last visit. */
  visited: number;
  /** Version of the last indexed text. */
  version: number | null;
  importsKey: string;
  imports: readonly ResolvedImport[];
}

/** Updates the index from the open documents in quiet moments. */
export class OpenDocuments {
  readonly #documents = new Map<string, OpenDocument>();
  readonly #index: FileIndex;
  readonly #admission: FileAdmission;
  readonly #disk: DiskFiles;
  readonly #queue: BackgroundQueue;
  readonly #listener: OpenDocumentsListener;
  /** Counts visits and edits to order them. */
  #clock = 0;
  #lastVisited: OpenDocument | null = null;

  constructor(
    index: FileIndex,
    admission: FileAdmission,
    disk: (isOpen: (key: string) => boolean) => DiskFiles,
    queue: BackgroundQueue,
    listener: OpenDocumentsListener,
  ) {
    this.#index = index;
    this.#admission = admission;
    this.#disk = disk((key) => this.#documents.has(key));
    this.#queue = queue;
    this.#listener = listener;
  }

  has(key: string): boolean {
    return this.#documents.has(key);
  }

  open(document: LiveDocument): void {
    const location = locationOf(document.uri);
    const visited = this.#index.get(location.key)?.visited ?? 0;
    this.#documents.set(location.key, { document, location, visited, version: null, importsKey: '', imports: [] });
    this.#enqueue(location.key, true);
  }

  change(uri: string): void {
    const { key } = locationOf(uri);
    if (this.#documents.has(key)) this.#enqueue(key, false);
  }

  /** Reads the files that an open document refers to. @param keys of files */
  refer(uri: string, keys: readonly string[], done: () => void): void {
    const { key } = locationOf(uri);
    this.#queue.enqueue(`${key}\nreferred`, async (turn) => {
      const open = this.#documents.get(key);
      if (open === undefined) return;
      const files = keys.filter((each) => each.startsWith('/'));
      await this.#disk.readFiles(files, familyOf(open.document.languageId), turn);
      done();
      this.#listener.onIndexed();
    });
  }

  /** Brings a closed file of the index up to date with the disk. */
  async renew(key: string, turn: Turn): Promise<void> {
    if (key.startsWith('/')) await this.#disk.renew(key, turn);
  }

  /** The user opens the document or works in it. */
  visit(uri: string): void {
    const { key } = locationOf(uri);
    const open = this.#documents.get(key);
    if (open === undefined || open === this.#lastVisited) return;
    this.#lastVisited = open;
    open.visited = ++this.#clock;
    this.#index.touch(key, open.visited);
    this.#enqueue(key, true);
  }

  /** The index keeps a file as it is on disk, and forgets any other document. */
  close(uri: string): void {
    const { key, scheme } = locationOf(uri);
    const closed = this.#documents.get(key);
    if (closed === undefined) return;
    this.#documents.delete(key);
    if (this.#lastVisited === closed) this.#lastVisited = null;
    this.#queue.remove(key);
    if (scheme !== 'file') {
      this.#revoke(key);
      return;
    }
    this.#queue.enqueue(key, async (turn) => {
      await this.#disk.readAgain(key, familyOf(closed.document.languageId), turn);
      if (this.#index.get(key) === null) this.#listener.onRevoked(key);
    });
  }

  /** Decides for every document again, after the rules have changed. */
  reset(): void {
    this.#index.clear();
    this.#disk.clear();
    for (const [key, open] of this.#documents) {
      open.version = null;
      open.importsKey = '';
      this.#enqueue(key, true);
    }
  }

  #enqueue(key: string, thorough: boolean): void {
    const waiting = thorough ? `${key}\n` : key;
    this.#queue.enqueue(waiting, (turn) => this.#update(key, thorough, turn));
  }

  async #update(key: string, thorough: boolean, turn: Turn): Promise<void> {
    const open = this.#documents.get(key);
    if (open === undefined) return;
    const { document, location } = open;
    const { version } = document;
    const { revision } = this.#admission;
    const text = document.getText().length > MAXIMUM_FILE_CHARACTERS ? null : toLineFeeds(document.getText());
    const admitted = text !== null && (await this.#admission.admits(location)) && this.#admission.admitsText(text);
    if (this.#documents.get(key) !== open) return;
    if (!admitted) {
      open.version = version;
      this.#revoke(key);
      return;
    }
    const language = languageById(document.languageId);
    if (language !== null) await this.#followImports(open, language, text, thorough, turn);
    if (version === open.version && this.#index.get(key) !== null && !thorough) return;

    const { visited, imports } = open;
    const path = nameOf(location, this.#admission.folderOf(location));
    const previous = open.version === null ? null : this.#index.get(key);
    const family = familyOf(document.languageId);
    const time = ++this.#clock;
    const facts = { key, path, family, language, text, imports, visited, previous, time };
    const indexed = await indexFile(facts, turn);
    // After a change of the rules it is decided again: `reset` has queued that.
    if (this.#documents.get(key) !== open || this.#admission.revision !== revision) return;
    open.version = version;
    this.#index.put({ ...indexed, visited: open.visited });
    if (thorough && language !== null && location.scheme === 'file') {
      await this.#disk.readFolder(location.path, language, turn);
    }
    this.#listener.onIndexed();
  }

  /** Imports are resolved when they change, and when the user returns to the file. */
  async #followImports(
    open: OpenDocument,
    language: LanguageSupport,
    text: string,
    thorough: boolean,
    turn: Turn,
  ): Promise<void> {
    const { location } = open;
    const folder = this.#admission.folderOf(location);
    if (location.scheme !== 'file' || folder === null) return;
    const references = importsOf(language, text);
    const importsKey = JSON.stringify(references);
    if (importsKey === open.importsKey && !thorough) return;
    open.imports = await this.#disk.resolveImports(references, language, location.path, folder, turn);
    open.importsKey = importsKey;
  }

  #revoke(key: string): void {
    this.#index.remove(key);
    this.#listener.onRevoked(key);
  }
}
