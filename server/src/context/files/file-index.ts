import type { IndexedFile } from '../context-source.js';

/** Limit for all indexed text, in UTF-16 units; lines, words and declarations take about as much again. */
const MAXIMUM_CHARACTERS = 3_000_000;
const MAXIMUM_FILES = 256;

interface Entry {
  readonly file: IndexedFile;
  readonly characters: number;
}

/** The files that may be shown, within a limit: the least recently used are removed first. */
export class FileIndex {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  get(key: string): IndexedFile | null {
    return this.#entries.get(key)?.file ?? null;
  }

  /** Latest visit first. */
  get files(): readonly IndexedFile[] {
    const files = [...this.#entries.values()].map(({ file }) => file);
    return files.sort((left, right) => right.visited - left.visited || (left.key < right.key ? -1 : 1));
  }

  /** In UTF-16 units. */
  get characters(): number {
    return this.#characters;
  }

  put(file: IndexedFile): void {
    this.remove(file.key);
    const characters = file.lines.reduce((sum, line) => sum + line.length + 1, 0);
    this.#entries.set(file.key, { file, characters });
    this.#characters += characters;
    for (const key of this.#entries.keys()) {
      if (this.#characters <= MAXIMUM_CHARACTERS && this.#entries.size <= MAXIMUM_FILES) break;
      if (key !== file.key) this.remove(key);
    }
  }

  /** Marks a file as used. */
  touch(key: string, visited = 0): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const file = visited > entry.file.visited ? { ...entry.file, visited } : entry.file;
    this.#entries.set(key, { ...entry, file });
  }

  remove(key: string): boolean {
    this.#characters -= this.#entries.get(key)?.characters ?? 0;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#characters = 0;
  }
}
