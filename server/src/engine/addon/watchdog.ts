import { url as inspectorUrl } from 'node:inspector';
import { loadAddon, type WatchdogLimits, type WatchdogThread } from './load-addon.js';
import { ThreadWatchdog } from './thread-watchdog.js';

/** No work of the server takes a tenth of this. A client with a heartbeat ends a silent server sooner. */
const STALL_MS = 30_000;

/** Longer than an orderly end takes (lsp/connection/lifetime.ts). */
const ABANDONED_MS = 8_000;

const BEAT_MS = 1_000;

export type Watchdog = Pick<WatchdogThread, 'follow'>;

/**
 * Watches until the end of the process, engines' shutdown included.
 * @param Thread the addon's class; by default one that needs no addon
 */
export function startWatchdog(Thread: new (limits: WatchdogLimits) => WatchdogThread = ThreadWatchdog): Watchdog {
  // A debugger holds the loop for as long as its user thinks.
  const stallMs = inspectorUrl() === undefined ? STALL_MS : 0;
  const thread = new Thread({ stallMs, abandonedMs: ABANDONED_MS });
  setInterval(() => thread.beat(), BEAT_MS).unref();
  // The connection listens for the signal by now (lsp/connection/connection.ts).
  thread.watchSigterm();
  // The engines listened earlier, so that their end is watched too.
  process.on('exit', () => thread.stop());
  return thread;
}

/** For a helper of the server: ends it soon after its parent, even where a driver never returns to the loop. */
export function followParent(nativeDirectory: string, environment: NodeJS.ProcessEnv): void {
  startWatchdog(watchdogThread(nativeDirectory, environment)).follow(process.ppid);
}

function watchdogThread(nativeDirectory: string, environment: NodeJS.ProcessEnv) {
  try {
    return loadAddon(nativeDirectory, environment).Watchdog;
  } catch {
    // The addon cannot be loaded, so the thread that needs none is used.
    return ThreadWatchdog;
  }
}
