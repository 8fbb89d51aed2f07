import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';

const TOUCH_MS = 10_000;

/** A lock not touched for this long has no holder, even if another process now has its process id. */
const STALE_MS = 60_000;

/** Keeps two windows from writing to the same file. A lock whose holder ended is taken over. */
export class WindowLock {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => void this.#touch(), TOUCH_MS);
    this.#timer.unref();
  }

  /** Null if another window holds it. */
  static async take(path: string): Promise<WindowLock | null> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        await writeFile(path, String(process.pid), { flag: 'wx' });
        return new WindowLock(path);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
        if (await isHeld(path)) return null;
        await rm(path, { force: true });
      }
    }
    return null;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await rm(this.#path, { force: true });
  }

  async #touch(): Promise<void> {
    const now = new Date();
    // If someone has removed the store, the download itself reports it.
    await utimes(this.#path, now, now).catch(() => undefined);
  }
}

/** Whether another window holds a lock. */
export async function isHeld(path: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    // A lock with our own id is from an earlier process: this window joins its own downloads.
    return Date.now() - mtimeMs < STALE_MS && Number(text) !== process.pid && isAlive(Number(text));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
