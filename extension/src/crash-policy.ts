/** What to do after an unexpected end of the server process. */
export type CrashDecision =
  | { readonly kind: 'restart'; readonly delayMs: number }
  /** Too many `crashes` within the window: more restarts would only use the processor. */
  | { readonly kind: 'giveUp'; readonly crashes: number };

const CRASH_WINDOW_MS = 3 * 60_000;

/** Delay of the restart after each crash within the window; after the next crash there is no restart. */
const RESTART_DELAYS_MS = [250, 1_000, 4_000, 10_000];

/** The crash times that still count at `now`. */
export function recentCrashes(crashTimes: readonly number[], now: number): readonly number[] {
  return crashTimes.filter((time) => now - time < CRASH_WINDOW_MS);
}

/** `crashTimes`, in milliseconds, includes the new crash. */
export function decideAfterCrash(crashTimes: readonly number[], now: number): CrashDecision {
  const crashes = recentCrashes(crashTimes, now).length;
  const delayMs = RESTART_DELAYS_MS[Math.max(crashes, 1) - 1];
  return delayMs === undefined ? { kind: 'giveUp', crashes } : { kind: 'restart', delayMs };
}
