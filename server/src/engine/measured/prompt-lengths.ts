import { guessedPromptLength, promptLengthFor } from '../../prompt/prompt-length.js';
import { DEFAULT_PROMPT_TOKENS } from '../../prompt/token-budget.js';
import type { ModelFacts } from '../port/model-facts.js';
import type { MeasuredSpeeds } from './measured-speeds.js';

/** How long prompts are: as long as this machine evaluates within a moment, with the model that is loaded. */
export class PromptLengths {
  readonly #speeds: Pick<MeasuredSpeeds, 'of'>;
  #present: { readonly facts: ModelFacts; readonly tokens: number } | null = null;

  constructor(speeds: Pick<MeasuredSpeeds, 'of'>) {
    this.#speeds = speeds;
  }

  /** In tokens; never more than the model's context, or the texts of its training, can hold. */
  of(facts: ModelFacts): number {
    // Each load has facts of its own: what fitted another model or device says nothing.
    const present = this.#present?.facts === facts ? this.#present.tokens : null;
    const speed = this.#speeds.of(facts);
    const tokens = speed === null ? (present ?? startLength(facts)) : promptLengthFor(speed, present);
    this.#present = { facts, tokens };
    return Math.min(tokens, facts.contextLength, facts.trainingContextLength ?? Number.POSITIVE_INFINITY);
  }
}

/** Before anything was measured. A remote server may be any machine. */
function startLength(facts: ModelFacts): number {
  if (facts.kind === 'remote') return DEFAULT_PROMPT_TOKENS;
  const { fileBytes, backend, threads } = facts;
  const device = backend === 'CPU' ? 'cpu' : backend === 'Metal' ? 'shared' : 'gpu';
  return guessedPromptLength({ modelBytes: fileBytes, device, threads });
}
