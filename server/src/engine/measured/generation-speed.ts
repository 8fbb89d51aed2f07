import type { GenerationResult } from '../port/generation.js';

/** Shorter prefills say more about their overhead than about the speed, unless a slow model took its time for them. */
const LEAST_TOKENS = 192;
const LONG_MS = 2_000;
/** With fewer tokens, the fixed cost of an answer counts for too much. */
const LEAST_DECODED = 12;
const FASTEST = 1e7;

/**
 * Prompt tokens a second in one generation. Null for one that says too little: a short prefill, or a server that does not
 * say.
 */
export function prefillSpeed({ stopReason, metrics }: GenerationResult): number | null {
  const { promptTokens, reusedTokens, prefillMs, local } = metrics;
  const whole = promptTokens === null || reusedTokens === null ? null : promptTokens - reusedTokens;
  // A cancelled prefill ends anywhere. Where something was decoded, it was whole: stop rules end most suggestions.
  const tokens = local === null || local.rounds > 0 ? whole : local.evaluatedTokens;
  if (local === null && stopReason === 'aborted') return null;
  if (tokens === null || tokens <= 0 || prefillMs <= 0) return null;
  if (tokens < LEAST_TOKENS && prefillMs < LONG_MS) return null;
  return withinReason((tokens * 1000) / prefillMs);
}

/**
 * Tokens a second that the model decodes without drafts: in an answer that had none, otherwise as the engine measured one
 * token in the idle time after the load. Null where neither is known, and where a remote server decodes.
 */
export function decodeSpeed({ metrics }: GenerationResult): number | null {
  const { local, decodeMs } = metrics;
  if (local === null) return null;
  const { draftedTokens, rounds, stepMs } = local;
  // Rounds, not generated tokens: tokens that were replayed, or given with the request, cost nothing.
  const tokens = draftedTokens === 0 ? rounds : 0;
  if (tokens >= LEAST_DECODED && decodeMs > 0) return withinReason((tokens * 1000) / decodeMs);
  return stepMs === null || stepMs <= 0 ? null : withinReason(1000 / stepMs);
}

function withinReason(tokensPerSecond: number): number | null {
  return tokensPerSecond <= FASTEST ? tokensPerSecond : null;
}
