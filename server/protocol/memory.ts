import type { MemorySummary } from './status.js';

/**
 * Client to server, request without parameters: answers with the samples of the last hour, as `MemorySample[]`, oldest
 * first. From then on the server sends samples.
 */
export const WATCH_MEMORY_REQUEST = 'inkling/memory/watch';

/** Client to server, notification: stop sending samples. */
export const UNWATCH_MEMORY_NOTIFICATION = 'inkling/memory/unwatch';

/** Server to client, notification with a `MemorySample`, every second or two while a client watches. */
export const MEMORY_SAMPLE_NOTIFICATION = 'inkling/memory/sample';

/** Client to server, request without parameters: frees everything but the weights. Answers with `FreedMemory`. */
export const FREE_CACHES_REQUEST = 'inkling/memory/freeCaches';

/** Client to server, request without parameters: unloads the model. Answers with `FreedMemory`. */
export const UNLOAD_REQUEST = 'inkling/memory/unload';

/** Client to server, notification: load the unloaded model again. */
export const LOAD_NOTIFICATION = 'inkling/memory/load';

/** How long the server keeps samples. */
export const MEMORY_HISTORY_MS = 60 * 60_000;

export interface MemorySample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly memory: MemorySummary;
}

/** `MemorySummary.inUseBytes`: resident bytes, and what lies on GPUs. */
export interface FreedMemory {
  readonly beforeBytes: number;
  readonly afterBytes: number;
  /** The part of the latter that serves other windows. */
  readonly keptBytes: number;
}
