import type { Decision, DecisionEngineWork } from '../../../protocol/index.js';
import type { MadeSuggestion } from '../postprocess/made-suggestion.js';
import type { CompletionOutcome } from '../request/completion-outcome.js';
import type { CompletionRequest } from '../request/completion-request.js';
import { explainOutcome } from './explain-outcome.js';

/** Collects along the pipeline the facts that explain a decision. */
export class DecisionTrace {
  readonly #request: CompletionRequest;
  readonly #startedAt = performance.now();
  readonly #at = Date.now();
  source: 'engine' | 'reused' | 'joined' = 'engine';
  debounceMs = 0;
  #made: MadeSuggestion | null = null;

  constructor(request: CompletionRequest) {
    this.#request = request;
  }

  /** Milliseconds since the request's arrival. */
  get latencyMs(): number {
    return performance.now() - this.#startedAt;
  }

  made(made: MadeSuggestion): void {
    this.#made = made;
  }

  decided(outcome: CompletionOutcome): Decision {
    const { document, position, trigger } = this.#request;
    const shown = outcome.kind === 'suggestions';
    return {
      at: this.#at,
      uri: document.uri,
      line: position.line,
      character: position.character,
      trigger,
      outcome: shown ? (outcome.partial ? 'partlyShown' : 'shown') : 'nothing',
      reason: shown ? null : outcome.reason,
      sentence: explainOutcome(outcome),
      source: shown ? this.source : null,
      text: shown ? (outcome.suggestions[0]?.text ?? '') : '',
      latencyMs: this.latencyMs,
      debounceMs: this.debounceMs,
      chance: chanceOf(outcome),
      reanchored: this.#made?.reanchored ?? null,
      engine: this.#made === null ? null : engineWork(this.#made),
    };
  }
}

function chanceOf(outcome: CompletionOutcome): number | null {
  if (outcome.kind === 'suggestions') return outcome.suggestions[0]?.chance ?? null;
  return outcome.reason === 'unsure' ? outcome.chance : null;
}

function engineWork({ generated }: MadeSuggestion): DecisionEngineWork {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs, local } = generated.result.metrics;
  return {
    promptTokens,
    reusedTokens,
    evaluatedTokens: local?.evaluatedTokens ?? null,
    generatedTokens,
    queuedMs: local?.queuedMs ?? null,
    prefillMs,
    decodeMs,
  };
}
