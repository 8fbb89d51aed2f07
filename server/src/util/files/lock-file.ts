import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../error-code.js';
import { isInUse } from './is-in-use.js';
import { removeLeftDrafts } from './left-drafts.js';
import { isRunning, OWN_PROCESS, type ProcessIdentity } from './process-identity.js';
import { readSmallFile } from './read-small-file.js';

/**
 * A lock whose holder cannot be checked counts as held if it was touched this recently: one of another machine in a
 * shared folder, or of a platform without start times.
 */
const UNCHECKED_MS = 60_000;

/** The clock of another machine may be ahead by this much. A lock of a later time was made before ours was set back. */
const CLOCKS_DIFFER_MS = 10 * 60_000;

/** A lock without content is one that is being written on a file system without links. */
const EMPTY_MS = 10_000;

/** A lock of ours is short. */
const MOST_BYTES = 1024;

interface Owner extends ProcessIdentity {
  readonly host: string;
  /** Unique to this lock. */
  readonly id: string;
}

interface FoundLock {
  /** Changes whenever the file does. */
  readonly mark: string;
  /** Null if the content names none. */
  readonly owner: Owner | null;
  readonly ageMs: number;
}

/** Locks that this process holds. One with our identity that is not among them is left over. */
const held = new Set<string>();

/**
 * A file that one process holds at a time. It appears whole, by a link, and a lock whose holder has ended is replaced
 * whole, by a rename: of several processes that try, one wins.
 */
export class LockFile {
  readonly #path: string;
  readonly #id: string;

  private constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
    held.add(id);
  }

  /**
   * Null if another process holds it.
   *
   * @throws the file system's error where no file can be written
   */
  static take(path: string): LockFile | null {
    const id = randomUUID();
    const owner: Owner = { ...OWN_PROCESS, host: hostname(), id };
    const draft = `${path}.${id}.tmp`;
    try {
      writeFileSync(draft, JSON.stringify(owner), { flag: 'wx' });
      return placeNew(draft, path, owner) || replaceAbandoned(draft, path, owner) ? new LockFile(path, id) : null;
    } catch (error) {
      // The draft could be written, so another process reads or removes the lock.
      if (existsSync(draft) && isInUse(error)) return null;
      throw error;
    } finally {
      remove(draft);
    }
  }

  /** Whether a process holds the lock. */
  static isHeld(path: string): boolean {
    try {
      const found = readLock(path);
      return found !== null && isHeld(found);
    } catch (error) {
      if (isInUse(error)) return true;
      throw error;
    }
  }

  /** Removes the files of processes that were killed while they took a lock in this folder. Never throws. */
  static removeLeftovers(folder: string): void {
    removeLeftDrafts(folder);
  }

  /** False if someone has removed or replaced the file. */
  isOurs(): boolean {
    return readLock(this.#path)?.owner?.id === this.#id;
  }

  /** Shows processes that cannot check this one that it still holds the lock. */
  touch(): void {
    const now = new Date();
    utimesSync(this.#path, now, now);
  }

  /** Never throws: a lock that cannot be removed is taken over. */
  release(): void {
    if (!held.delete(this.#id)) return;
    try {
      if (this.isOurs()) remove(this.#path);
    } catch {
      // It cannot be read, so nobody knows whose it is.
    }
  }
}

/** @returns false if there is one already */
function placeNew(draft: string, path: string, owner: Owner): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    // A network drive whose answer is lost is asked again, and then refuses the link that it has made.
    if (errorCode(error) === 'EEXIST') return isIn(path, owner);
    // Some file systems have no links. Between creation and content others see an empty lock.
    return createExclusively(path, owner);
  }
}

function isIn(path: string, { id }: Owner): boolean {
  return readLock(path)?.owner?.id === id;
}

function createExclusively(path: string, owner: Owner): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(file, JSON.stringify(owner));
    // A machine may sleep between the two steps. The lock looks abandoned then.
    return isIn(path, owner);
  } catch (error) {
    // On a full disk it stays empty: a lock without an owner, which would hold up every process.
    remove(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

function replaceAbandoned(draft: string, path: string, owner: Owner): boolean {
  const found = readLock(path);
  // Released meanwhile.
  if (found === null) return placeNew(draft, path, owner);
  if (isHeld(found)) return false;
  // Two processes may have found the same abandoned lock. The slower one must not replace the faster one's new lock, so
  // whoever replaces a lock holds another one that is named after it, and looks again.
  const right = LockFile.take(`${path}.${found.mark}`);
  if (right === null) return false;
  try {
    if (readLock(path)?.mark !== found.mark) return false;
    renameSync(draft, path);
    return true;
  } finally {
    right.release();
  }
}

function isHeld({ owner, ageMs }: FoundLock): boolean {
  if (owner === null) return Math.abs(ageMs) < EMPTY_MS;
  if (owner.host !== hostname()) return ageMs < UNCHECKED_MS && ageMs > -CLOCKS_DIFFER_MS;
  if (owner.pid === OWN_PROCESS.pid && owner.start === OWN_PROCESS.start) return held.has(owner.id);
  return isRunning(owner) && (owner.start !== null || Math.abs(ageMs) < UNCHECKED_MS);
}

/** Null if there is none. */
function readLock(path: string): FoundLock | null {
  try {
    const { text, stats } = readText(path);
    const { ino, mtimeMs } = stats;
    const mark = createHash('sha256').update(`${ino} ${mtimeMs} ${text}`).digest('hex').slice(0, 16);
    return { mark, owner: parseOwner(text), ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A link, a pipe or another thing that nobody here made names no owner. */
function readText(path: string): { readonly text: string; readonly stats: Stats } {
  try {
    return readSmallFile(path, MOST_BYTES, constants.O_NOFOLLOW ?? 0);
  } catch (error) {
    const stats = lstatSync(path);
    if (stats.isFile() && stats.size <= MOST_BYTES) throw error;
    return { text: '', stats };
  }
}

/** A file that stays, in a read-only folder or open in another program, does no harm. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // As above.
  }
}

function parseOwner(text: string): Owner | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { pid, start, host, id } = value as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof id !== 'string') return null;
  return start === null || typeof start === 'string' ? { pid, start, host, id } : null;
}
