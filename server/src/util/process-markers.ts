import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.js';
import { isRunning, OWN_PROCESS, type ProcessIdentity, parseProcess } from './process-identity.js';
import { readSmallFile } from './read-small-file.js';

const MARKER_NAME = /^\d+-\d+\.json$/;

/** Larger ones are not ours: a path is all that can be long. */
const MOST_BYTES = 2 ** 16;

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
  /** Has markers survive the end of the machine, too, which takes longer. */
  readonly durable: boolean;
  readonly log: Log;
  /** Whose markers these are; this one by default. */
  readonly process?: ProcessIdentity;
}

/** Files that say what processes are doing now. Those of ended processes say what these died of. */
export class ProcessMarkers<T extends object> {
  readonly #options: ProcessMarkersOptions<T>;
  #count = 0;

  constructor(options: ProcessMarkersOptions<T>) {
    this.#options = options;
  }

  /** @returns the marker's path; null where none can be written */
  add(content: T): string | null {
    const { folder, durable, log, process: owner = OWN_PROCESS } = this.#options;
    if (folder === null) return null;
    this.#count += 1;
    const marker = join(folder, `${owner.pid}-${this.#count}.json`);
    try {
      mkdirSync(folder, { recursive: true });
      // Whole at once: another window's server may read it at any time.
      const { pid, start } = owner;
      writeFileSync(`${marker}.tmp`, JSON.stringify({ ...content, process: { pid, start } }), { flush: durable });
      renameSync(`${marker}.tmp`, marker);
      return marker;
    } catch (error) {
      log.warn(`${marker} cannot be written: ${String(error)}`);
      return null;
    }
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
    return this.#read(marker)?.content ?? null;
  }

  /** Of all processes that have ended. */
  left(): readonly LeftMarker<T>[] {
    return this.#paths().flatMap((path): readonly LeftMarker<T>[] => {
      const found = this.#read(path);
      if (found === null) return [{ path, content: null }];
      return isRunning(found.owner) ? [] : [{ path, content: found.content }];
    });
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

  #read(path: string): { readonly content: T; readonly owner: ProcessIdentity } | null {
    try {
      const parsed: unknown = JSON.parse(readSmallFile(path, MOST_BYTES).text);
      if (typeof parsed !== 'object' || parsed === null || !('process' in parsed)) return null;
      const owner = parseProcess(parsed.process);
      const content = this.#options.parse({ ...parsed });
      return owner === null || content === null ? null : { content, owner };
    } catch {
      return null;
    }
  }
}
