import type { GenerationMetrics, GenerationResult, RunnerUp, TokenScore } from '../../port/generation.js';

/** What one value of a stream adds to a completion. */
export interface GenerationPiece {
  readonly text: string;
  /** Empty where the server sends no ids; then nothing can branch from this answer. */
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  /** One for each token, where it was asked for. */
  readonly runnersUp: readonly (RunnerUp | null)[];
  /** Null while more comes. */
  readonly ending: 'endOfText' | 'stopText' | 'maxTokens' | null;
  readonly timings: Timings | null;
}

/** What the server says of its work; null for what it leaves out. */
export interface Timings {
  readonly promptTokens: number | null;
  readonly reusedTokens: number | null;
  readonly generatedTokens: number | null;
  readonly prefillMs: number | null;
  readonly decodeMs: number | null;
}

/** What one value of a stream adds to a conversation. */
export interface ConversationPiece {
  readonly thinking: string;
  readonly answer: string;
  readonly ending: 'endOfText' | 'maxTokens' | null;
  readonly timings: Timings | null;
}

export const NO_PIECE: GenerationPiece = {
  text: '',
  tokens: [],
  logProbabilities: [],
  runnersUp: [],
  ending: null,
  timings: null,
};

/** Joins the pieces of one completion, without the text that the user has typed already. */
export class GenerationRecord {
  readonly #repeated: string;
  readonly #promptTokens: number | null;
  readonly #onText: (text: string) => void;
  readonly #startedAt = performance.now();
  readonly #tokens: number[] = [];
  readonly #logProbabilities: number[] = [];
  readonly #runnersUp: (RunnerUp | null)[] = [];
  readonly #scores: TokenScore[] = [];
  #said = '';
  /** Whether what was said begins with the typed text. */
  #isPastTyped: boolean;
  #firstAt: number | null = null;
  #timings: Timings | null = null;

  /** @param promptTokens null where they were not counted here */
  constructor(repeated: string, promptTokens: number | null, onText: (text: string) => void) {
    this.#repeated = repeated;
    this.#isPastTyped = repeated === '';
    this.#promptTokens = promptTokens;
    this.#onText = onText;
  }

  get isEmpty(): boolean {
    return this.#firstAt === null;
  }

  /** What it holds: characters, tokens, and scores, which a server may send without either. */
  get size(): number {
    return this.#said.length + this.#tokens.length + this.#scores.length;
  }

  /** @returns false once the answer departs from the text that it must begin with; then it is of no use */
  add({ text, tokens, logProbabilities, runnersUp, timings }: GenerationPiece): boolean {
    this.#firstAt ??= performance.now();
    for (const token of tokens) this.#tokens.push(token);
    for (const logProbability of logProbabilities) this.#logProbabilities.push(logProbability);
    // Within the typed text there was no choice.
    const isTyped = this.#said.length < this.#repeated.length;
    for (const runnerUp of runnersUp) this.#runnersUp.push(isTyped ? null : runnerUp);
    this.#timings = timings ?? this.#timings;
    const { fresh, isOnTrack } = this.#say(text);
    // A value of several tokens does not say what each of them wrote.
    for (const [index, logProbability] of logProbabilities.entries()) {
      this.#scores.push({ length: index === 0 ? fresh.length : 0, logProbability });
    }
    if (fresh !== '') this.#onText(fresh);
    return isOnTrack;
  }

  /** Gives runners-up only where the server sent every token: it withholds half a character together with its token. */
  result(stopReason: GenerationResult['stopReason']): GenerationResult {
    const now = performance.now();
    const metrics = remoteMetrics(this.#timings, {
      promptTokens: this.#promptTokens,
      generatedTokens: this.#tokens.length,
      prefillMs: (this.#firstAt ?? now) - this.#startedAt,
      decodeMs: now - (this.#firstAt ?? now),
    });
    // The server counts the token that ends an answer, and does not send it.
    const unsent = stopReason === 'endOfText' || stopReason === 'stopText' ? 1 : 0;
    const isComplete = this.#tokens.length + unsent >= metrics.generatedTokens;
    return {
      text: this.#text,
      tokens: this.#tokens,
      logProbabilities: this.#logProbabilities,
      scores: this.#scores,
      runnersUp: isComplete ? this.#runnersUp : [],
      stopReason,
      metrics,
    };
  }

  /** Past the typed text, what was said before is not looked at again: an answer has many pieces. */
  #say(text: string): { readonly fresh: string; readonly isOnTrack: boolean } {
    const isTyped = this.#said.length < this.#repeated.length;
    this.#said += text;
    if (!isTyped && this.#isPastTyped) return { fresh: text, isOnTrack: true };
    this.#isPastTyped = this.#said.startsWith(this.#repeated);
    const fresh = this.#isPastTyped ? this.#said.slice(this.#repeated.length) : '';
    return { fresh, isOnTrack: this.#isPastTyped || this.#repeated.startsWith(this.#said) };
  }

  get #text(): string {
    return this.#isPastTyped ? this.#said.slice(this.#repeated.length) : '';
  }
}

/** Metrics as the server says them; for what it leaves out, as they were measured here. */
export function remoteMetrics(
  said: Timings | null,
  measured: Pick<GenerationMetrics, 'promptTokens' | 'generatedTokens' | 'prefillMs' | 'decodeMs'>,
): GenerationMetrics {
  const promptTokens = said?.promptTokens ?? measured.promptTokens;
  const reusedTokens = said?.reusedTokens ?? null;
  return {
    promptTokens,
    reusedTokens: reusedTokens && Math.min(reusedTokens, promptTokens ?? reusedTokens),
    generatedTokens: said?.generatedTokens ?? measured.generatedTokens,
    prefillMs: said?.prefillMs ?? measured.prefillMs,
    decodeMs: said?.decodeMs ?? measured.decodeMs,
    local: null,
  };
}
