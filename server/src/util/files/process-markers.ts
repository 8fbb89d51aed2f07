import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../log.js';
import { removeLeftDrafts } from './left-drafts.js';
import { isRunning, OWN_PROCESS, type ProcessIdentity, parseProcess } from './process-identity.js';
import { readSmallFile, type SmallFile, StrangeFileError } from './read-small-file.js';

const MARKER_NAME = /^\d+-\d+\.json$/;

/** Larger ones are not ours: a path is all that can be long. */
const MOST_BYTES = 2 ** 16;

/** Nothing that is marked takes so long. A marker of this age counts as left, even if its process cannot be checked. */
const UNCHECKED_MS = 24 * 60 * 60_000;

interface Owner extends ProcessIdentity {
  /** The machine, as several may share a home folder; null in markers of earlier versions. */
  readonly host: string | null;
}

interface FoundMarker<T> {
  /** Null for what is no content of ours: another version may have written it. */
  readonly content: T | null;
  readonly owner: Owner;
  readonly ageMs: number;
}

/** A marker whose process is gone. */
export interface LeftMarker<T> {
  readonly path: string;
  /** Null where it was never finished, or is damaged. */
  readonly content: T | null;
}

export interface ProcessMarkersOptions<T extends object> {
  /** Null keeps none. */
  readonly folder: string | null;
  /** @returns null for what is no content of ours */
  readonly parse: (content: Readonly<Record<string, unknown>>) => T | null;
  /** Whether markers must survive a crash of the machine, too. Writing them then takes longer. */
  readonly durable: boolean;
  readonly log: Log;
  /** The process whose markers these are; this one by default. */
  readonly process?: ProcessIdentity;
}

/** Files that say what processes are doing now. A file of an ended process says what it died of. */
export class ProcessMarkers<T extends object> {
  readonly #options: ProcessMarkersOptions<T>;
  #count = 0;

  constructor(options: ProcessMarkersOptions<T>) {
    this.#options = options;
    if (options.folder !== null) removeLeftDrafts(options.folder);
  }

  /** @returns the marker's path; null where none can be written */
  add(content: T): string | null {
    const { folder, durable, log, process: owner = OWN_PROCESS } = this.#options;
    if (folder === null) return null;
    const marker = this.#newPath(folder, owner);
    const draft = `${marker}.tmp`;
    try {
      mkdirSync(folder, { recursive: true });
      // Whole at once: another window's server may read it at any time.
      const { pid, start } = owner;
      const text = JSON.stringify({ ...content, process: { pid, start, host: hostname() } });
      writeFileSync(draft, text, { flush: durable });
      renameSync(draft, marker);
    } catch (error) {
      log.warn(`${marker} cannot be written: ${String(error)}`);
      // A full disk leaves half of it.
      this.remove(draft);
      return null;
    }
    if (durable) syncNames(folder, log);
    return marker;
  }

  remove(marker: string): void {
    try {
      rmSync(marker, { force: true });
    } catch (error) {
      this.#options.log.warn(`${marker} cannot be removed: ${String(error)}`);
    }
  }

  /** Null for one that is damaged. */
  read(marker: string): T | null {
    const file = read(marker);
    return file === 'unreadable' ? null : (this.#parse(file)?.content ?? null);
  }

  /** The markers of all processes that have ended. */
  left(): readonly LeftMarker<T>[] {
    return this.#paths().flatMap((path): readonly LeftMarker<T>[] => {
      const file = read(path);
      if (file === 'unreadable') return [];
      const found = this.#parse(file);
      if (found === null) return [{ path, content: null }];
      return isLeft(found) ? [{ path, content: found.content }] : [];
    });
  }

  /** An earlier process with the same id may have left markers that nobody has seen. */
  #newPath(folder: string, { pid }: ProcessIdentity): string {
    for (;;) {
      this.#count += 1;
      const path = join(folder, `${pid}-${this.#count}.json`);
      if (!existsSync(path)) return path;
    }
  }

  #paths(): readonly string[] {
    const { folder } = this.#options;
    if (folder === null) return [];
    try {
      return readdirSync(folder)
        .filter((name) => MARKER_NAME.test(name))
        .map((name) => join(folder, name));
    } catch {
      // No process was ever at work here.
      return [];
    }
  }

  /** Null for what is damaged. */
  #parse(file: SmallFile | null): FoundMarker<T> | null {
    if (file === null) return null;
    try {
      const parsed: unknown = JSON.parse(file.text);
      if (typeof parsed !== 'object' || parsed === null || !('process' in parsed)) return null;
      const owner = parseOwner(parsed.process);
      if (owner === null) return null;
      return { content: this.#options.parse({ ...parsed }), owner, ageMs: Date.now() - file.stats.mtimeMs };
    } catch {
      return null;
    }
  }
}

/** Null for what is no marker. One that cannot be read now may be one of a running process. */
function read(path: string): SmallFile | 'unreadable' | null {
  try {
    return readSmallFile(path, MOST_BYTES);
  } catch (error) {
    return error instanceof StrangeFileError ? null : 'unreadable';
  }
}

function isLeft<T>({ owner, ageMs }: FoundMarker<T>): boolean {
  // What runs on another machine cannot be seen from here, and an id without a start may be another process's by now.
  const isHere = owner.host === null || owner.host === hostname();
  if (isHere && !isRunning(owner)) return true;
  return (!isHere || owner.start === null) && Math.abs(ageMs) > UNCHECKED_MS;
}

function parseOwner(value: unknown): Owner | null {
  const identity = parseProcess(value);
  if (identity === null) return null;
  const { host } = value as { readonly host?: unknown };
  return { ...identity, host: typeof host === 'string' ? host : null };
}

/** Writes the folder's names to the disk: a file without its name is lost. Windows needs, and allows, no such thing. */
function syncNames(folder: string, log: Log): void {
  if (process.platform === 'win32') return;
  try {
    const opened = openSync(folder, 'r');
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    log.debug(`${folder} may lose names of files if the machine stops now: ${String(error)}`);
  }
}
