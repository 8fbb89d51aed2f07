/** What to do after the server process ended without being asked to. */
export type CrashDecision =
  | { readonly kind: 'restart'; readonly delayMs: number }
  /** `crashes` within the window: starting again would only burn the user's processor. */
  | { readonly kind: 'giveUp'; readonly crashes: number };

const CRASH_WINDOW_MS = 3 * 60_000;

/** One delay for each crash within the window that is answered with a restart; the next crash is the last. */
const RESTART_DELAYS_MS = [250, 1_000, 4_000, 10_000];

/** Of the crash times, those that still count at `now`. */
export function recentCrashes(crashTimes: readonly number[], now: number): readonly number[] {
  return crashTimes.filter((time) => now - time < CRASH_WINDOW_MS);
}

/** `crashTimes`, in milliseconds, holds the crash to be answered too. */
export function decideAfterCrash(crashTimes: readonly number[], now: number): CrashDecision {
  const crashes = recentCrashes(crashTimes, now).length;
  const delayMs = RESTART_DELAYS_MS[Math.max(crashes, 1) - 1];
  return delayMs === undefined ? { kind: 'giveUp', crashes } : { kind: 'restart', delayMs };
}
