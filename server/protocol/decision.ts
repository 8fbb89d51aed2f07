/** Client to server, request without parameters: how the last requests for a suggestion were decided, newest first. */
export const DECISIONS_REQUEST = 'inkling/decisions';

/** How one request for a suggestion was decided, in terms that a person can read. */
export interface Decision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly uri: string;
  /** Zero-based line and UTF-16 column. */
  readonly line: number;
  readonly character: number;
  readonly trigger: 'automatic' | 'invoked' | 'prepared';
  readonly outcome: 'shown' | 'partlyShown' | 'nothing';
  /** A word for programs, such as `afterPaste` or `filtered`; null where something was shown. */
  readonly reason: string | null;
  /** One sentence for people: why there is something, or nothing. */
  readonly sentence: string;
  /** Where the text came from; null where there is none. */
  readonly source: 'engine' | 'reused' | 'joined' | null;
  readonly text: string;
  /** From the request's arrival to its answer. */
  readonly latencyMs: number;
  readonly debounceMs: number;
  /** Mean natural logarithm of the probabilities of the tokens; null where the engine was not asked. */
  readonly averageLogProbability: number | null;
  /** Why the prompt's frozen part was made anew; null where it was kept. */
  readonly reanchored: string | null;
  readonly engine: DecisionEngineWork | null;
}

export interface DecisionEngineWork {
  /** Null where another machine does not say, as below. */
  readonly promptTokens: number | null;
  readonly reusedTokens: number | null;
  readonly evaluatedTokens: number | null;
  readonly generatedTokens: number;
  readonly queuedMs: number | null;
  readonly prefillMs: number;
  readonly decodeMs: number;
}
