import { isRecord } from '../../protocol/index.js';
import type { JsonFile } from '../util/json-file.js';
import { type FileIdentity, identify, isSameFile, parseIdentity } from './file-identity.js';

/** More model files than anybody keeps. */
const MOST_FILES = 500;

/**
 * The model files whose headers llama.cpp has read without harm, in a process that may die of it. Remembered from one
 * session to the next, so that only the first load of a file waits for that process.
 */
export class ExaminedFiles {
  readonly #file: Pick<JsonFile, 'read' | 'write'>;
  /** Another version may read files in another way. */
  readonly #version: string;
  #known: readonly FileIdentity[] | null = null;

  constructor(file: Pick<JsonFile, 'read' | 'write'>, version: string) {
    this.#file = file;
    this.#version = version;
  }

  /** Whether all of these files are known, as they are now. */
  async has(paths: readonly string[]): Promise<boolean> {
    const files = await Promise.all(paths.map(identify));
    return files.every((file) => file !== null && this.#files.some((known) => isSameFile(known, file)));
  }

  async add(paths: readonly string[]): Promise<void> {
    if (await this.has(paths)) return;
    const files = (await Promise.all(paths.map(identify))).filter((file) => file !== null);
    const others = this.#read().filter(({ path }) => !paths.includes(path));
    this.#known = [...others, ...files].slice(-MOST_FILES);
    this.#file.write({ version: this.#version, files: this.#known });
  }

  get #files(): readonly FileIdentity[] {
    this.#known ??= this.#read();
    return this.#known;
  }

  /** Read again before each write: other windows write too. */
  #read(): readonly FileIdentity[] {
    const stored = this.#file.read();
    if (!isRecord(stored) || stored.version !== this.#version || !Array.isArray(stored.files)) return this.#known ?? [];
    return stored.files.map(parseIdentity).filter((file) => file !== null);
  }
}
