import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isRecord, isText } from '../../../protocol/index.js';
import { errorCode } from '../../util/error-code.js';
import { removeLeftDrafts } from '../../util/files/left-drafts.js';
import { LockFile } from '../../util/files/lock-file.js';
import { readSmallFile, StrangeFileError } from '../../util/files/read-small-file.js';
import { NAME_LENGTH } from './names.js';

/** Group and others. */
const FOREIGN_BITS = 0o077;

/** Paths of sockets are cut at 108 bytes on Linux, and at 104 on macOS. */
const LONGEST_SOCKET_PATH = 100;

/** What an owner has in the folder. */
const OWN_FILE = new RegExp(`^([0-9a-f]{${NAME_LENGTH}})\\.(?:lock|key|sock)$`);

/** An owner touches its files all the time. Only a machine that sleeps keeps it from that. */
const LEFT_MS = 24 * 60 * 60_000;

const SECRET_BYTES = 32;
const MOST_KEY_BYTES = 1024;

/** Where a guest finds an owner, and what it says to be let in. */
export interface Door {
  /** A path, or the name of a pipe on Windows. */
  readonly address: string;
  readonly secret: string;
}

/** A folder, socket or file is not this user's alone, so that nothing in it is trusted. */
export class InsecureError extends Error {
  override readonly name = 'InsecureError';
}

/**
 * The private folder in which windows of one user find each other's offers. Each offer has a lock, which says who may
 * listen, a socket, and a key file.
 */
export class OfferFolder {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Makes the folder if it is missing.
   *
   * @throws InsecureError for one that others may change; the file system's errors
   */
  static open(environment: NodeJS.ProcessEnv): OfferFolder {
    const folder = folderOf(environment);
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) throw new InsecureError(`${folder} is no folder`);
    requireOwn(folder, stats);
    return new OfferFolder(folder);
  }

  /** @returns null while another process holds it */
  takeLock(name: string): LockFile | null {
    return LockFile.take(this.#file(name, 'lock'));
  }

  /** Whether a running process owns the offer. It may not listen yet, or no longer. */
  isOwned(name: string): boolean {
    return LockFile.isHeld(this.#file(name, 'lock'));
  }

  /** For the holder of the lock: removes what an earlier owner left, and says where to listen. */
  prepare(name: string): Door {
    this.clear(name);
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    const isPipe = process.platform === 'win32';
    const address = isPipe ? pipeName(name, randomBytes(SECRET_BYTES).toString('hex')) : this.#file(name, 'sock');
    if (!isPipe && Buffer.byteLength(address) > LONGEST_SOCKET_PATH) throw new Error(`${address} is too long`);
    return { address, secret };
  }

  /**
   * For the holder of the lock, once it listens. The folder has kept others out until now. The key comes last: who looks
   * earlier finds no offer, and not a socket that seems to be open to others.
   */
  publish(name: string, { address, secret }: Door): void {
    if (process.platform !== 'win32') chmodSync(address, 0o600);
    const draft = this.#file(name, `${process.pid}.tmp`);
    writeFileSync(draft, JSON.stringify({ secret, address }), { mode: 0o600, flag: 'wx' });
    renameSync(draft, this.#file(name, 'key'));
  }

  /** Null where nobody offers the model. @throws InsecureError for what this user does not own alone */
  find(name: string): Door | null {
    try {
      const door = readKey(this.#file(name, 'key'));
      if (process.platform === 'win32') return door;
      // Only this path was checked, whatever the file says.
      const address = this.#file(name, 'sock');
      const stats = lstatSync(address);
      if (!stats.isSocket()) throw new InsecureError(`${address} is no socket`);
      requireOwn(address, stats);
      return { ...door, address };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Removes socket and key. For the holder of the lock. */
  clear(name: string): void {
    for (const kind of ['sock', 'key', `${process.pid}.tmp`]) rmSync(this.#file(name, kind), { force: true });
  }

  /** For the holder of the lock: shows programs that remove old temporary files that these are in use. */
  touch(name: string): void {
    const now = new Date();
    for (const kind of process.platform === 'win32' ? ['key'] : ['key', 'sock'])
      utimesSync(this.#file(name, kind), now, now);
  }

  /**
   * Removes what killed owners left. Each version of Inkling and of a model has names of its own, so nobody may ask for
   * these again. Never throws.
   */
  removeLeft(): void {
    removeLeftDrafts(this.#folder);
    for (const name of this.#names()) {
      try {
        this.#removeLeft(name);
      } catch {
        // Its files stay, and do no harm.
      }
    }
  }

  #names(): ReadonlySet<string> {
    try {
      return new Set(readdirSync(this.#folder).flatMap((file) => OWN_FILE.exec(file)?.[1] ?? []));
    } catch {
      // Without a folder there are none.
      return new Set();
    }
  }

  #removeLeft(name: string): void {
    const touched = ['lock', 'key', 'sock'].map((kind) => touchedAt(this.#file(name, kind)));
    if (Date.now() - Math.max(...touched) < LEFT_MS || this.isOwned(name)) return;
    const lock = this.takeLock(name);
    try {
      if (lock !== null) this.clear(name);
    } finally {
      lock?.release();
    }
  }

  #file(name: string, kind: string): string {
    return join(this.#folder, `${name}.${kind}`);
  }
}

/** In milliseconds; 0 for a file that is not there. */
function touchedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Nobody else can make the same name, and listing the pipes of a machine does not tell the secret. */
function pipeName(name: string, random: string): string {
  return `\\\\.\\pipe\\inkling-${name}-${random}`;
}

/**
 * On Windows the folder for temporary files is in the user's profile, which other users cannot open. Elsewhere it is taken
 * where there is no runtime folder, or one whose path leaves no room for a socket's.
 */
function folderOf({ XDG_RUNTIME_DIR: runtime = '' }: NodeJS.ProcessEnv): string {
  const user = process.getuid?.();
  const own = join(runtime, 'inkling');
  if (user !== undefined && isAbsolute(runtime) && isFolder(runtime) && hasRoomForSocket(own)) return own;
  return join(tmpdir(), user === undefined ? 'inkling' : `inkling-${user}`);
}

function hasRoomForSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, `${'x'.repeat(NAME_LENGTH)}.sock`)) <= LONGEST_SOCKET_PATH;
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

function readKey(path: string): Door {
  try {
    const { text, stats } = readSmallFile(path, MOST_KEY_BYTES, constants.O_NOFOLLOW ?? 0);
    requireOwn(path, stats);
    const key: unknown = JSON.parse(text);
    if (!isRecord(key) || !isText(key.secret) || !isText(key.address)) throw new InsecureError(`${path} is damaged`);
    return { address: key.address, secret: key.secret };
  } catch (error) {
    const isStrange = error instanceof SyntaxError || error instanceof StrangeFileError;
    throw isStrange ? new InsecureError(`${path} is damaged`) : error;
  }
}

/** Windows has no such modes; see `folderOf`. */
function requireOwn(path: string, { uid, mode }: Stats): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user) throw new InsecureError(`${path} belongs to user ${uid}, not to ${user}`);
  if ((mode & FOREIGN_BITS) !== 0)
    throw new InsecureError(`${path} is open to other users (mode ${(mode & 0o777).toString(8)})`);
}
