import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../error-code.js';
import type { Log } from '../log.js';
import { isInUse } from './is-in-use.js';
import { LockFile } from './lock-file.js';
import { readSmallFile, StrangeFileError } from './read-small-file.js';

/** Delay of changes that are not urgent, and of another attempt while another process changes the file. */
const SOON_MS = 5_000;
/** At the end of the process nothing can be put off: waits this often, this long. */
const LAST_ATTEMPTS = 20;
const LAST_WAIT_MS = 10;

/** Larger ones are not ours. */
const MOST_BYTES = 2 ** 20;

/** What to write, given what the file holds. */
export interface Change {
  /** @param stored null if the file is missing or unreadable */
  readonly merge: (stored: unknown) => unknown;
  /** Called once the result is in the file. */
  readonly written: () => void;
}

/** A small JSON file that several processes change: each change starts from what is there. Nobody sees half a file. */
export class JsonFile {
  readonly #path: string | null;
  readonly #log: Log;
  #due: { readonly timer: NodeJS.Timeout; readonly change: Change } | null = null;

  /** @param path null keeps nothing */
  constructor(path: string | null, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Null if the file is missing or unreadable. */
  read(): unknown {
    if (this.#path === null) return null;
    try {
      return this.#load(this.#path);
    } catch (error) {
      this.#log.warn(`${this.#path} cannot be read: ${String(error)}`);
      return null;
    }
  }

  /** Changes the file after a delay, or at the next `flush`. A change that is due already takes this one's place. */
  changeSoon(change: Change): void {
    if (this.#path === null || this.#due !== null) return;
    this.#wait(change);
  }

  /** Makes a delayed change now; also at the end of the process. */
  flush(): void {
    const change = this.#take();
    if (change === null || this.#path === null) return;
    for (let attempt = 0; attempt < LAST_ATTEMPTS; attempt += 1) {
      if (this.#change(change)) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WAIT_MS);
    }
    this.#log.warn(`${this.#path} is in use by another process; the last changes are not kept.`);
  }

  /** Replaces the file at once. */
  write(value: unknown): void {
    if (this.#path === null) return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      if (!replaceFile(this.#path, value)) this.#log.debug(`${this.#path} is in use by another program.`);
    } catch (error) {
      this.#log.warn(`${this.#path} cannot be written: ${String(error)}`);
    }
  }

  /**
   * Null if the file is missing, or holds what nobody can use.
   *
   * @throws the file system's error where that may be over soon, such as of a network drive: the file is not to be replaced
   */
  #load(path: string): unknown {
    try {
      return JSON.parse(readSmallFile(path, MOST_BYTES).text);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      // Another user's file is of no use either. On Windows the same code says that another program has it open.
      const isForeign = errorCode(error) === 'EACCES' && process.platform !== 'win32';
      const isDamaged =
        error instanceof SyntaxError || error instanceof StrangeFileError || errorCode(error) === 'ELOOP';
      if (!isForeign && !isDamaged) throw error;
      this.#log.warn(`${path} cannot be read, starting again: ${String(error)}`);
      return null;
    }
  }

  #wait(change: Change): void {
    const timer = setTimeout(() => {
      this.#take();
      if (!this.#change(change)) this.#wait(change);
    }, SOON_MS);
    this.#due = { timer: timer.unref(), change };
  }

  #take(): Change | null {
    const due = this.#due;
    if (due === null) return null;
    clearTimeout(due.timer);
    this.#due = null;
    return due.change;
  }

  /** @returns false if another process is changing the file, or has it open; true also where it cannot be written */
  #change({ merge, written }: Change): boolean {
    if (this.#path === null) return true;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      const lock = LockFile.take(`${this.#path}.lock`);
      if (lock === null) return false;
      try {
        if (!replaceFile(this.#path, merge(this.#load(this.#path)))) return false;
        written();
      } finally {
        lock.release();
      }
    } catch (error) {
      this.#log.warn(`${this.#path} cannot be changed: ${String(error)}`);
    }
    return true;
  }
}

/** @returns false if another program has it open, which may end soon */
function replaceFile(path: string, value: unknown): boolean {
  const temporary = `${path}.inkling-${process.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(value)}\n`);
    return renamed(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (isInUse(error)) return false;
    throw error;
  }
}
