import type { CompletionSummary } from '../../../protocol/index.js';
import type { GenerationMetrics } from '../../engine/port/generation.js';
import type { ModelFacts } from '../../engine/port/model-facts.js';

/** What the last completion took, and which model made it. */
export class LastCompletion {
  #last: { readonly summary: CompletionSummary; readonly facts: ModelFacts } | null = null;

  made(facts: ModelFacts, metrics: GenerationMetrics, latencyMs: number): CompletionSummary {
    const summary = summaryOf(metrics, latencyMs);
    this.#last = { summary, facts };
    return summary;
  }

  /**
   * Null once another model is there, or the same one on another device: the figures would seem to be its own.
   *
   * @param facts of the model that is there; null where none is known
   */
  beside(facts: ModelFacts | null): CompletionSummary | null {
    return this.#last === null || (facts !== null && this.isOfAnother(facts)) ? null : this.#last.summary;
  }

  /** Whether there is one, and another model made it, or the same one on another device. */
  isOfAnother(facts: ModelFacts): boolean {
    return this.#last !== null && makerOf(facts) !== makerOf(this.#last.facts);
  }
}

function makerOf(facts: ModelFacts): string {
  return `${facts.kind} ${facts.kind === 'local' ? facts.backend : facts.host} ${facts.path}`;
}

function summaryOf(metrics: GenerationMetrics, latencyMs: number): CompletionSummary {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs, local } = metrics;
  return {
    latencyMs,
    promptTokens,
    reusedTokens,
    generatedTokens,
    replayedTokens: local?.replayedTokens ?? null,
    decodedTokens: local === null ? null : local.rounds + local.acceptedDraftTokens,
    draftedTokens: local?.draftedTokens ?? null,
    acceptedDraftTokens: local?.acceptedDraftTokens ?? null,
    draftFailure: local?.draftFailure ?? null,
    prefillMs,
    decodeMs,
  };
}
