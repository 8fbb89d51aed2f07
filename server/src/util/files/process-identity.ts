import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isAlive } from './is-alive.js';

/** A process that no later one with the same id is taken for. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in words of the platform; null where that is unknown. */
  readonly start: string | null;
}

const PS_TIME_LIMIT_MS = 1_000;

let ownStart: { readonly start: string | null } | null = null;

/** Asks for the start when it is needed: on macOS a program must run for it. */
export const OWN_PROCESS: ProcessIdentity = {
  pid: process.pid,
  get start() {
    ownStart ??= { start: startOf(process.pid) };
    return ownStart.start;
  },
};

/** Null for what is no identity that a process wrote. */
export function parseProcess(value: unknown): ProcessIdentity | null {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('start' in value)) return null;
  const { pid, start } = value;
  const isOurs = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0;
  return isOurs && (start === null || typeof start === 'string') ? { pid, start } : null;
}

/**
 * Whether a process still runs. On Windows, which tells start times only to slow tools, another process with the same
 * id counts as the old one: callers that must not wait without end look at a file's age as well.
 */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  if (!isAlive(pid)) return false;
  const present = startOf(pid);
  // It ended just now, or is a zombie that its parent has not seen.
  if (present === null && process.platform === 'linux' && OWN_PROCESS.start !== null) return false;
  return start === null || present === null || start === present;
}

/** When the process with this id started; null for none, for a zombie, and where the platform does not say. */
export function startOf(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    if (process.platform === 'linux') return linuxStart(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (process.platform === 'darwin') return macStart(pid);
    return null;
  } catch {
    // It has ended, or no tool tells.
    return null;
  }
}

/** @param stat as in `man 5 proc`: the name in parentheses may hold anything, the 22nd field counts ticks since boot */
export function linuxStart(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return state === 'Z' || state === 'X' ? null : (fields[19] ?? null);
}

/** A program is slow to start, and ids are used again only after thousands of others. */
const MAC_REMEMBERED_MS = 60_000;
const macStarts = new Map<number, { readonly start: string; readonly at: number }>();

function macStart(pid: number): string | null {
  const known = macStarts.get(pid);
  if (known !== undefined && performance.now() - known.at < MAC_REMEMBERED_MS && isAlive(pid)) return known.start;
  macStarts.delete(pid);
  const options = { encoding: 'utf8', timeout: PS_TIME_LIMIT_MS, env: { LC_ALL: 'C', TZ: 'UTC' } } as const;
  const start = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], options).trim();
  if (start === '') return null;
  macStarts.set(pid, { start, at: performance.now() });
  return start;
}
