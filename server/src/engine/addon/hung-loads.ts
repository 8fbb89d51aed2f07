import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { splitPaths } from '../../models/gguf/split-file.js';
import { ifReadable } from '../../util/if-readable.js';
import type { Log } from '../../util/log.js';
import type { DuringLoad } from './addon-engine.js';

/** No step of a load takes so long, apart from reading the file. */
const LIMIT_MS = 120_000;

/** A slow disk or network. llama.cpp may read a whole file before it reports anything. */
const SLOW_BYTES_PER_MS = 50_000;

/** The limit is counted in steps: a machine that sleeps, or a loop that stands still, passes one of them at most. */
const STEPS = 12;

export interface HungLoadsOptions {
  /** Marks loads, so that the next process knows what this one died of. */
  readonly crashed: {
    during<T>(path: string, load: () => Promise<T>): Promise<T>;
    blame(path: string): void;
  };
  readonly log: Log;
  /** Ends this process: nothing ends a native call that hangs. */
  readonly end: () => void;
  readonly limitMs?: number;
}

/**
 * Ends the process when a load makes no progress any more. The JavaScript loop goes on turning then, so neither the
 * heartbeat nor the watchdog notices it, and every later load would wait behind this one.
 */
export function endHungLoads({ crashed, log, end, limitMs = LIMIT_MS }: HungLoadsOptions): DuringLoad {
  return (path, load) =>
    crashed.during(path, async () => {
      const silentMs = limitMs + Math.round((await bytesOf(path)) / SLOW_BYTES_PER_MS);
      return whileItProgresses(load, silentMs, () => {
        const seconds = Math.round(silentMs / 1000);
        log.error(
          `Loading ${basename(path)} made no progress for ${seconds} s. The server ends, and another one starts.`,
        );
        crashed.blame(path);
        end();
      });
    });
}

async function whileItProgresses<T>(
  load: (progressed: () => void) => Promise<T>,
  silentMs: number,
  onHung: () => void,
): Promise<T> {
  let silentSteps = 0;
  const timer = setInterval(() => {
    silentSteps += 1;
    if (silentSteps === STEPS) onHung();
  }, silentMs / STEPS);
  timer.unref();
  try {
    return await load(() => {
      silentSteps = 0;
    });
  } finally {
    clearInterval(timer);
  }
}

/** The size of all parts of a model, up to one that is missing: its load says so. */
async function bytesOf(path: string): Promise<number> {
  let bytes = 0;
  for (const part of splitPaths(path)) {
    const found = await ifReadable(stat(part));
    if (found === null) break;
    bytes += found.size;
  }
  return bytes;
}
