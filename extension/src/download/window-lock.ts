import { LockFile } from '../../../server/src/util/files/lock-file.js';

const TOUCH_MS = 10_000;

/** Keeps two windows from writing to the same file. A lock whose holder has ended is taken over at once. */
export class WindowLock {
  readonly #file: LockFile;
  readonly #timer: NodeJS.Timeout;

  private constructor(file: LockFile, onLost: () => void) {
    this.#file = file;
    this.#timer = setInterval(() => this.#keep(onLost), TOUCH_MS);
    this.#timer.unref();
  }

  /**
   * Null if another window holds it.
   *
   * @param onLost someone has removed the lock, or another window has taken it while this machine slept
   */
  static take(path: string, onLost: () => void): WindowLock | null {
    const file = LockFile.take(path);
    return file && new WindowLock(file, onLost);
  }

  release(): void {
    clearInterval(this.#timer);
    this.#file.release();
  }

  #keep(onLost: () => void): void {
    try {
      if (this.#file.isOurs()) this.#file.touch();
      else onLost();
    } catch {
      // If the disk fails, the download itself reports it.
    }
  }
}
