// One process at a time builds in a checkout: two would delete each other's files.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** No build takes longer: an older lock was left, and another process has its id by now. */
const LONGEST_MS = 60 * 60_000;
/** Between the creation of a lock and its content. */
const WRITING_MS = 5_000;
const LOOKS_EVERY_MS = 1_000;

let isHeld = false;

/**
 * Runs `work` while no other process does so with this lock. Waits for the other one, unless that was killed.
 *
 * @template T
 * @param {string} file of the lock
 * @param {(line: string) => void} say receives why it waits
 * @param {() => T} work may call this again
 * @returns {T}
 */
export function withBuildLock(file, say, work) {
  if (isHeld) return work();
  take(file, say);
  isHeld = true;
  try {
    return work();
  } finally {
    isHeld = false;
    rmSync(file, { force: true });
  }
}

function take(file, say) {
  mkdirSync(path.dirname(file), { recursive: true });
  let hasSaid = false;
  while (!create(file)) {
    const holder = holderOf(file);
    if (holder === null) {
      rmSync(file, { force: true });
      continue;
    }
    if (!hasSaid) say(`waits for the build of process ${holder} (${file})`);
    hasSaid = true;
    pause();
  }
}

function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Null where nobody holds it any more. */
function holderOf(file) {
  try {
    const age = Date.now() - statSync(file).mtimeMs;
    const text = readFileSync(file, 'utf8');
    if (text === '') return age < WRITING_MS ? '?' : null;
    return age < LONGEST_MS && isRunning(Number(text)) ? text : null;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isRunning(id) {
  if (!Number.isInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** In another process: Ctrl+C ends that one, whatever this one does with signals. */
function pause() {
  const { signal } = spawnSync(process.execPath, ['-e', `setTimeout(() => {}, ${LOOKS_EVERY_MS})`], {
    stdio: 'ignore',
  });
  if (signal !== null) throw new Error(`the wait for another build was ended by ${signal}`);
}
