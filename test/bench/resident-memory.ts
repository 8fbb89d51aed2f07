import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Longer than the engine goes on measuring itself once it has nothing to do. */
const SETTLE_MS = 1500;

/** What this process holds once garbage is gone and the engine is at rest, in bytes. */
export async function residentMemory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await delay(SETTLE_MS);
  collect();
  // What the first pass finalises, the second frees.
  await delay(50);
  collect();
  return process.memoryUsage.rss();
}
