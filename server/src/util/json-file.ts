import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from './log.js';

/** Delay of writes that are not urgent; later values within it replace earlier ones. */
const SOON_MS = 5_000;

/** A small JSON file that several processes may write: the last one wins, and readers never see half a file. */
export class JsonFile {
  readonly #path: string | null;
  readonly #log: Log;
  #due: { readonly timer: NodeJS.Timeout; readonly value: () => unknown } | null = null;

  /** @param path null keeps nothing */
  constructor(path: string | null, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Null if the file is missing or unreadable. */
  read(): unknown {
    if (this.#path === null) return null;
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#log.warn(`${this.#path} cannot be read, starting again: ${String(error)}`);
      }
      return null;
    }
  }

  /** Writes the result of `value` after a delay, or at the next `flush`. */
  writeSoon(value: () => unknown): void {
    if (this.#path === null || this.#due !== null) return;
    this.#due = { timer: setTimeout(() => this.flush(), SOON_MS).unref(), value };
  }

  /** Writes a delayed value now; also at the end of the process. */
  flush(): void {
    if (this.#due === null) return;
    const { timer, value } = this.#due;
    clearTimeout(timer);
    this.#due = null;
    this.write(value());
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
