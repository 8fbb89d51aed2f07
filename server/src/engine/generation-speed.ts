import type { GenerationResult } from './generation.js';

/** Shorter prefills say more about their overhead than about the speed. */
const LEAST_TOKENS = 192;
const FASTEST = 1e7;

/**
 * Prompt tokens a second in one generation. Null for one that says too little: a short prefill, or a server that does not
 * say.
 */
export function prefillSpeed({ stopReason, metrics }: GenerationResult): number | null {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, local } = metrics;
  // A cancelled prefill ends somewhere. Only what it really evaluated counts, and only if nothing was decoded.
  const whole = promptTokens === null || reusedTokens === null ? null : promptTokens - reusedTokens;
  const part = local === null || generatedTokens > 0 ? null : local.evaluatedTokens;
  const tokens = stopReason === 'aborted' ? part : whole;
  if (tokens === null || tokens < LEAST_TOKENS || prefillMs <= 0) return null;
  return withinReason((tokens * 1000) / prefillMs);
}

/**
 * Tokens a second that the model decodes without drafts, as the engine measured it in the idle time after the load. Null
 * before, and where another machine decodes.
 */
export function decodeSpeed({ metrics: { local } }: GenerationResult): number | null {
  const stepMs = local?.stepMs ?? null;
  return stepMs === null || stepMs <= 0 ? null : withinReason(1000 / stepMs);
}

function withinReason(tokensPerSecond: number): number | null {
  return tokensPerSecond <= FASTEST ? tokensPerSecond : null;
}
