import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What a process holds, as Linux counts it. */
export interface Vitals {
  readonly rssBytes: number;
  /** Of it, what no file backs: the model's weights are a file. */
  readonly anonymousBytes: number;
  /** Open files, pipes and sockets. */
  readonly handles: number;
  readonly threads: number;
}

/** What an idle server holds, and JavaScript in it, after garbage collection. */
export interface SettledVitals extends Vitals {
  readonly heapBytes: number;
  /** Of JavaScript's objects outside its heap: documents as bytes, WebAssembly's memory. */
  readonly externalBytes: number;
  /** What V8 compiled: it grows with what has run, to a limit. */
  readonly codeBytes: number;
}

export function vitalsOf(pid: number): Vitals {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    rssBytes: bytes('VmRSS'),
    anonymousBytes: bytes('RssAnon'),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
  };
}

/** Longer than the server's timers and the engine's measurements take after the last request. */
const SETTLE_MS = 4_000;
const COLLECTION_MS = 1_000;

/**
 * Collects a server's garbage (collect-garbage.mjs), lets the server free its caches and what it can give back, and
 * does so again once all is quiet.
 */
export async function settledVitals(
  pid: number,
  reports: string,
  freeCaches: () => Promise<unknown>,
): Promise<SettledVitals> {
  for (const pauseMs of [SETTLE_MS, COLLECTION_MS]) {
    process.kill(pid, 'SIGUSR2');
    await delay(COLLECTION_MS);
    await freeCaches();
    await delay(pauseMs);
  }
  const { heapUsed, external, code } = JSON.parse(readFileSync(path.join(reports, `${pid}.json`), 'utf8'));
  return { ...vitalsOf(pid), heapBytes: heapUsed, externalBytes: external, codeBytes: code };
}

/** Processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // It has ended.
    return [];
  }
}
