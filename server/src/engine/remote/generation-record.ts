import type { GenerationResult } from '../engine.js';

/** What one value of a stream adds to a completion. */
export interface GenerationPiece {
  readonly text: string;
  /** Empty where the server says no ids; then nothing can branch from this answer. */
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  /** One for each token, where it was asked for. */
  readonly runnersUp: readonly RunnerUp[];
  /** Null while more comes. */
  readonly ending: 'endOfText' | 'stopText' | 'maxTokens' | null;
  readonly timings: Timings | null;
}

export interface RunnerUp {
  /** -1 for none. */
  readonly token: number;
  readonly logProbability: number;
}

const NO_RUNNER_UP: RunnerUp = { token: -1, logProbability: -100 };

/** As far as the server says; the rest is measured from here. */
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

/** Puts the pieces of one completion together, short of what the user has typed already. */
export class GenerationRecord {
  readonly #repeated: string;
  readonly #promptTokens: number;
  readonly #onText: (text: string) => void;
  readonly #startedAt = performance.now();
  readonly #tokens: number[] = [];
  readonly #logProbabilities: number[] = [];
  readonly #runnersUp: RunnerUp[] = [];
  #said = '';
  #firstAt: number | null = null;
  #timings: Timings | null = null;

  constructor(repeated: string, promptTokens: number, onText: (text: string) => void) {
    this.#repeated = repeated;
    this.#promptTokens = promptTokens;
    this.#onText = onText;
  }

  get isEmpty(): boolean {
    return this.#firstAt === null;
  }

  /** False once the answer departs from what it has to begin with: then it is of no use. */
  add({ text, tokens, logProbabilities, runnersUp, timings }: GenerationPiece): boolean {
    this.#firstAt ??= performance.now();
    this.#tokens.push(...tokens);
    this.#logProbabilities.push(...logProbabilities);
    // Within what was typed there was no choice.
    const isTyped = this.#said.length < this.#repeated.length;
    this.#runnersUp.push(...(isTyped ? runnersUp.map(() => NO_RUNNER_UP) : runnersUp));
    this.#timings = timings ?? this.#timings;
    const before = this.#text.length;
    this.#said += text;
    const isOnTrack = this.#said.startsWith(this.#repeated) || this.#repeated.startsWith(this.#said);
    const fresh = this.#text.slice(before);
    if (fresh !== '') this.#onText(fresh);
    return isOnTrack;
  }

  /** Runners-up only where the server told every token: half a character is withheld, and its token with it. */
  result(stopReason: GenerationResult['stopReason']): GenerationResult {
    const now = performance.now();
    const timings = this.#timings;
    const prefillMs = timings?.prefillMs ?? (this.#firstAt ?? now) - this.#startedAt;
    const decodeMs = timings?.decodeMs ?? now - (this.#firstAt ?? now);
    const promptTokens = timings?.promptTokens ?? this.#promptTokens;
    const reusedTokens = Math.min(promptTokens, timings?.reusedTokens ?? 0);
    const generatedTokens = timings?.generatedTokens ?? this.#tokens.length;
    // What ends an answer counts, and is not told.
    const untold = stopReason === 'endOfText' || stopReason === 'stopText' ? 1 : 0;
    return {
      text: this.#text,
      tokens: this.#tokens,
      logProbabilities: this.#logProbabilities,
      ...(this.#runnersUp.length === 0 || this.#tokens.length + untold < generatedTokens
        ? {}
        : {
            runnersUp: this.#runnersUp.map(({ token }) => token),
            runnerUpLogProbabilities: this.#runnersUp.map(({ logProbability }) => logProbability),
          }),
      stopReason,
      metrics: remoteMetrics({ promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs }),
    };
  }

  get #text(): string {
    return this.#said.startsWith(this.#repeated) ? this.#said.slice(this.#repeated.length) : '';
  }
}

/** What is not known of another machine's work is zero. */
export function remoteMetrics(known: {
  readonly promptTokens: number;
  readonly reusedTokens: number;
  readonly generatedTokens: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
}): GenerationResult['metrics'] {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs } = known;
  const evaluatedTokens = promptTokens - reusedTokens;
  return {
    ...known,
    reuse: reusedTokens > 0 ? 'append' : 'rebuild',
    evaluatedTokens,
    shiftedTokens: 0,
    replayedTokens: 0,
    rounds: generatedTokens,
    exactRows: 0,
    draftedTokens: 0,
    mtpSteps: 0,
    acceptedDraftTokens: 0,
    offeredByDepth: [],
    acceptedByDepth: [],
    verifyMs: [],
    draftMs: 0,
    swappedOut: false,
    swappedIn: false,
    queuedMs: 0,
    preemptions: 0,
    preemptedMs: 0,
    prefillTokensPerSecond: prefillMs > 0 ? (evaluatedTokens * 1000) / prefillMs : 0,
    decodeTokensPerSecond: decodeMs > 0 ? (generatedTokens * 1000) / decodeMs : 0,
    activeRssBytes: 0,
    peakRssBytes: 0,
  };
}
