import type { EngineState, InklingStatus, ModelSummary } from '../../../server/protocol/index.js';

/** One unexpected end of the server process. */
export interface Crash {
  /** Milliseconds of a clock that never goes back. */
  readonly at: number;
  /** Paths of the models that may be the reason. */
  readonly models: readonly string[];
}

/** What to do after an unexpected end of the server process. */
export type CrashDecision =
  /** `withoutModel`: the path of a model that crashed too often, so that the next server does not load it. */
  | { readonly kind: 'restart'; readonly delayMs: number; readonly withoutModel: string | null }
  /** Too many `crashes` within the window: more restarts would only use the processor. */
  | { readonly kind: 'giveUp'; readonly crashes: number };

const CRASH_WINDOW_MS = 3 * 60_000;

/** A model may crash seldom and never stop crashing, so its crashes count for longer. */
const MODEL_WINDOW_MS = 60 * 60_000;
const MODEL_CRASHES = 3;

/** Delay of the restart after each crash within the window; after the next crash there is no restart. */
const RESTART_DELAYS_MS = [250, 1_000, 4_000, 10_000] as const;

/** The crashes that still count at `now`. */
export function recentCrashes(crashes: readonly Crash[], now: number): readonly Crash[] {
  return crashes.filter(({ at }) => now - at < MODEL_WINDOW_MS);
}

/** `crashes`, oldest first, includes the new one. */
export function decideAfterCrash(crashes: readonly Crash[], now: number): CrashDecision {
  const [firstDelayMs] = RESTART_DELAYS_MS;
  const recent = recentCrashes(crashes, now);
  const ofModel = (model: string) => recent.filter(({ models }) => models.includes(model)).length;
  const withoutModel = recent.at(-1)?.models.find((model) => ofModel(model) >= MODEL_CRASHES) ?? null;
  if (withoutModel !== null) return { kind: 'restart', delayMs: firstDelayMs, withoutModel };
  const inWindow = recent.filter(({ at }) => now - at < CRASH_WINDOW_MS).length;
  const delayMs = RESTART_DELAYS_MS[Math.max(inWindow, 1) - 1];
  return delayMs === undefined ? { kind: 'giveUp', crashes: inWindow } : { kind: 'restart', delayMs, withoutModel };
}

/**
 * Those that are at work, or all in memory while none is: each of them may be why the server ended. With a model on a GPU
 * its driver may be. The next server counts that itself, and soon leaves the GPU alone.
 */
export function suspectModels({ state, model, remote, chat }: InklingStatus): readonly string[] {
  const resident: (readonly [EngineState, ModelSummary])[] = [];
  if (model !== null && remote === null) resident.push([state, model]);
  if (chat !== null && chat.model !== null) resident.push([chat.state, chat.model]);
  const working = resident.filter(([{ kind }]) => kind === 'working');
  // A failed generation leaves its model loaded.
  const loaded = resident.filter(([{ kind }]) => kind === 'ready' || kind === 'error');
  return (working.length > 0 ? working : loaded).filter(([, { onGpu }]) => !onGpu).map(([, { path }]) => path);
}
