import { isRecord } from '../../../protocol/index.js';
import type { JsonFile } from '../../util/files/json-file.js';
import { type FileIdentity, identify, isSameFile, parseIdentity } from './file-identity.js';

/** The most files that are remembered: more than users keep. */
const MOST_FILES = 500;

/**
 * The model files whose headers llama.cpp has read without harm, in a process that may die of it. Remembered from one
 * session to the next, so that only the first load of a file waits for that process.
 */
export class ExaminedFiles {
  readonly #file: Pick<JsonFile, 'read' | 'changeSoon' | 'flush'>;
  /** Another version may read files in another way. */
  readonly #version: string;
  #known: readonly FileIdentity[] | null = null;

  constructor(file: Pick<JsonFile, 'read' | 'changeSoon' | 'flush'>, version: string) {
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
    const withThese = (known: readonly FileIdentity[]): readonly FileIdentity[] =>
      [...known.filter(({ path }) => !paths.includes(path)), ...files].slice(-MOST_FILES);
    this.#known = withThese(this.#files);
    // Other windows write too.
    const merge = (stored: unknown) => {
      this.#known = withThese(this.#parse(stored));
      return { version: this.#version, files: this.#known };
    };
    this.#file.changeSoon({ merge, written: () => undefined });
    this.#file.flush();
  }

  get #files(): readonly FileIdentity[] {
    this.#known ??= this.#parse(this.#file.read());
    return this.#known;
  }

  #parse(stored: unknown): readonly FileIdentity[] {
    if (!isRecord(stored) || stored.version !== this.#version || !Array.isArray(stored.files)) return this.#known ?? [];
    return stored.files.map(parseIdentity).filter((file) => file !== null);
  }
}
