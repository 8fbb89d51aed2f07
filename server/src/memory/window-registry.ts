import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isNumber } from '../../protocol/index.js';
import { JsonFile } from '../util/files/json-file.js';
import { removeLeftDrafts } from '../util/files/left-drafts.js';
import { isRunning, OWN_PROCESS, type ProcessIdentity } from '../util/files/process-identity.js';
import { readSmallFile } from '../util/files/read-small-file.js';
import type { Log } from '../util/log.js';

/** The memory of one window's server. */
export interface WindowMemory {
  readonly pid: number;
  /** Bytes that no other process shares. */
  readonly privateBytes: number;
  /** Pages of the model's file, shared by all servers of that model. */
  readonly sharedBytes: number;
  readonly modelPath: string;
}

export interface AllWindows {
  readonly count: number;
  readonly bytes: number;
}

interface RegisteredWindow extends ProcessIdentity {
  /** Runs on another machine that shares the home folder; its processes cannot be seen from here. */
  readonly isElsewhere: boolean;
  /** When the file was written, in milliseconds. */
  readonly writtenAt: number;
  /** Null if the file does not say. */
  readonly memory: WindowMemory | null;
}

const FILE_NAME = /^([1-9]\d*)\.json$/;

/** Files of a machine that has written nothing for this long are removed: it may no longer exist. */
const ELSEWHERE_MS = 7 * 24 * 60 * 60_000;

/** Larger files are not ours: only the path in one can be long. */
const MOST_BYTES = 2 ** 16;

/**
 * The memory of all windows' servers. Each window has its own server: it writes its memory to its own file in a shared
 * folder, and reads the files of the others. Any server removes files of ended processes.
 */
export class WindowRegistry {
  readonly #folder: string | null;
  readonly #log: Log;
  readonly #file: JsonFile;
  #written: WindowMemory | null = null;

  /** @param folder null to keep nothing: then this server is the only one */
  constructor(folder: string | null, log: Log) {
    this.#folder = folder;
    this.#log = log;
    if (folder !== null) removeLeftDrafts(folder);
    this.#file = new JsonFile(folder && join(folder, `${process.pid}.json`), log);
  }

  /** @returns the memory of all servers */
  update(own: WindowMemory): AllWindows {
    if (this.#written === null || differs(this.#written, own)) {
      this.#file.write({ ...own, start: OWN_PROCESS.start, host: hostname() });
      this.#written = own;
    }
    return sumOfWindows([own, ...this.#others()]);
  }

  /** Removes this server's file at its end. */
  leave(): void {
    if (this.#folder !== null && this.#written !== null) this.#remove(process.pid);
    this.#written = null;
  }

  #others(): WindowMemory[] {
    if (this.#folder === null) return [];
    const others: WindowMemory[] = [];
    for (const name of this.#names()) {
      const pid = Number(FILE_NAME.exec(name)?.[1] ?? process.pid);
      if (pid === process.pid) continue;
      const found = this.#read(pid);
      if (isLeft(found)) this.#remove(pid);
      else if (found.isElsewhere) continue;
      else if (found.memory !== null) others.push(found.memory);
    }
    return others;
  }

  /** A file that cannot be removed must not keep a server from ending. */
  #remove(pid: number): void {
    try {
      rmSync(this.#pathOf(pid), { force: true });
    } catch (error) {
      this.#log.debug(`The file of server ${pid} cannot be removed: ${String(error)}`);
    }
  }

  #names(): readonly string[] {
    try {
      mkdirSync(this.#folder ?? '', { recursive: true });
      return readdirSync(this.#folder ?? '');
    } catch (error) {
      this.#log.debug(`Other windows cannot be looked for: ${String(error)}`);
      return [];
    }
  }

  #read(pid: number): RegisteredWindow {
    try {
      const { text, stats } = readSmallFile(this.#pathOf(pid), MOST_BYTES);
      return parseWindow(pid, JSON.parse(text), stats.mtimeMs);
    } catch (error) {
      // The other server may have just ended.
      this.#log.debug(`The memory of server ${pid} is not known: ${String(error)}`);
      return { pid, start: null, isElsewhere: false, writtenAt: 0, memory: null };
    }
  }

  #pathOf(pid: number): string {
    return join(this.#folder ?? '', `${pid}.json`);
  }
}

/** Shared pages count once for each model. */
export function sumOfWindows(windows: readonly WindowMemory[]): AllWindows {
  const shared = new Map<string, number>();
  let bytes = 0;
  for (const { privateBytes, sharedBytes, modelPath } of windows) {
    bytes += privateBytes;
    shared.set(modelPath, Math.max(shared.get(modelPath) ?? 0, sharedBytes));
  }
  for (const each of shared.values()) bytes += each;
  return { count: windows.length, bytes };
}

function differs(left: WindowMemory, right: WindowMemory): boolean {
  const change = Math.abs(left.privateBytes + left.sharedBytes - right.privateBytes - right.sharedBytes);
  return left.modelPath !== right.modelPath || change > (left.privateBytes + left.sharedBytes) / 50;
}

function isLeft(found: RegisteredWindow): boolean {
  return found.isElsewhere ? Math.abs(Date.now() - found.writtenAt) > ELSEWHERE_MS : !isRunning(found);
}

function parseWindow(pid: number, value: unknown, writtenAt: number): RegisteredWindow {
  const given = typeof value === 'object' && value !== null ? value : {};
  const { privateBytes, sharedBytes, modelPath, start: started, host } = given as Record<string, unknown>;
  const isSize = (bytes: unknown): bytes is number => isNumber(bytes, 0, Number.MAX_SAFE_INTEGER);
  const isWhole = isSize(privateBytes) && isSize(sharedBytes) && typeof modelPath === 'string';
  const start = typeof started === 'string' ? started : null;
  // A machine may change its name while its processes run.
  const isHere = typeof host !== 'string' || host === hostname() || (start !== null && isRunning({ pid, start }));
  return {
    pid,
    start,
    isElsewhere: !isHere,
    writtenAt,
    memory: isWhole ? { pid, privateBytes, sharedBytes, modelPath } : null,
  };
}
