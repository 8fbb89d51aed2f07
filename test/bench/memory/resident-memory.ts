import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Longer than the engine's measurements take after its last request. */
const SETTLE_MS = 1500;

/** Resident bytes of this process after garbage collection, with an idle engine. */
export async function residentMemory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await delay(SETTLE_MS);
  collect();
  // The second pass frees what the first one finalised.
  await delay(50);
  collect();
  return process.memoryUsage.rss();
}
