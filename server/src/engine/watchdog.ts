import { url as inspectorUrl } from 'node:inspector';
import type { loadAddon } from './load-addon.js';

/** No work of the server takes a tenth of this. A client with a heartbeat ends a silent server sooner. */
const STALL_MS = 30_000;

/** Longer than an orderly end takes (lsp/lifetime.ts). */
const ABANDONED_MS = 8_000;

const BEAT_MS = 1_000;

/** Ends this process from a thread of the addon, whatever its JavaScript loop does. */
export interface Watchdog {
  /** The process ends soon after this one is gone. */
  follow(processId: number): void;
}

/** Watches until the end of the process, engines' shutdown included. */
export function startWatchdog(addon: Pick<ReturnType<typeof loadAddon>, 'Watchdog'>): Watchdog {
  // A debugger holds the loop for as long as its user thinks.
  const stallMs = inspectorUrl() === undefined ? STALL_MS : 0;
  const watchdog = new addon.Watchdog({ stallMs, abandonedMs: ABANDONED_MS });
  setInterval(() => watchdog.beat(), BEAT_MS).unref();
  // The engines listened earlier, so that their end is watched too.
  process.on('exit', () => watchdog.stop());
  return watchdog;
}
