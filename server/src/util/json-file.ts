import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from './log.js';

/** A small JSON file that several processes may write: the last one wins, and nobody ever reads a half. */
export class JsonFile {
  readonly #path: string | null;
  readonly #log: Log;

  /** @param path null keeps nothing */
  constructor(path: string | null, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Null where there is none, or none that can be read. */
  read(): unknown {
    if (this.#path === null) return null;
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#log.warn(`${this.#path} cannot be read, beginning anew: ${String(error)}`);
      }
      return null;
    }
  }

  write(value: unknown): void {
    if (this.#path === null) return;
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(temporary, `${JSON.stringify(value)}\n`);
      renameSync(temporary, this.#path);
    } catch (error) {
      this.#log.warn(`${this.#path} cannot be written: ${String(error)}`);
    }
  }
}
