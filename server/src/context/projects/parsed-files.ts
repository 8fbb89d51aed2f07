import { stat } from 'node:fs/promises';
import { ifReadable } from '../../util/if-readable.js';
import { fileSystemPath } from '../files/file-location.js';

/** Reads files of the workspace. */
export interface WorkspaceReader {
  /** Whether files at such a place may be read at all. */
  readsIn(file: string): boolean;
  /** A file's text; null for one that may not be read. */
  read(file: string): Promise<string | null>;
}

const MOST_KEPT = 64;

interface Kept<T> {
  readonly modified: number;
  readonly parsed: T | null;
}

/** What configuration files of the workspace say. A file is read again only when it has changed. */
export class ParsedFiles<T> {
  readonly #reader: WorkspaceReader;
  readonly #parse: (text: string, file: string) => T | null;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(reader: WorkspaceReader, parse: (text: string, file: string) => T | null) {
    this.#reader = reader;
    this.#parse = parse;
  }

  /** Null for a file that is not there, may not be read, or is not understood. */
  async of(file: string): Promise<T | null> {
    const facts = this.#reader.readsIn(file) ? await ifReadable(stat(fileSystemPath(file))) : null;
    const modified = facts?.mtimeMs ?? null;
    if (modified === null) {
      this.#kept.delete(file);
      return null;
    }
    const kept = this.#kept.get(file);
    if (kept?.modified === modified) return kept.parsed;
    const text = await this.#reader.read(file);
    const parsed = text === null ? null : this.#parse(text, file);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(file, { modified, parsed });
    return parsed;
  }

  clear(): void {
    this.#kept.clear();
  }
}
