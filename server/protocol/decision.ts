/** Client to server, request without parameters: the decisions on the last requests for a suggestion, newest first. */
export const DECISIONS_REQUEST = 'inkling/decisions';

/** The decision on one request for a suggestion, in readable words. */
export interface Decision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly uri: string;
  /** Zero-based line and UTF-16 column. */
  readonly line: number;
  readonly character: number;
  readonly trigger: 'automatic' | 'invoked' | 'prepared';
  readonly outcome: 'shown' | 'partlyShown' | 'nothing';
  /** An identifier such as `afterPaste` or `filtered`; null if a suggestion was shown. */
  readonly reason: string | null;
  /** One sentence for people: why there is a suggestion, or none. */
  readonly sentence: string;
  /** Where the text came from; null without a text. */
  readonly source: 'engine' | 'reused' | 'joined' | null;
  readonly text: string;
  /** From the request's arrival to its answer. */
  readonly latencyMs: number;
  readonly debounceMs: number;
  /** The chance that the shown text is right, or the first words if nothing is shown. From 0 to 1; null if unknown. */
  readonly chance: number | null;
  /** Why the prompt got a new anchor; null if it kept the old one. */
  readonly reanchored: ReanchorReason | null;
  readonly engine: DecisionEngineWork | null;
}

/** Why a prompt got a new anchor. */
export type ReanchorReason =
  | 'firstRequest'
  | 'otherFile'
  /** The cursor stands before the anchor. */
  | 'cursorLeft'
  | 'prefixChanged'
  | 'suffixChanged'
  /** The text after the anchor has outgrown the middle's budget. */
  | 'middleFull';

export interface DecisionEngineWork {
  /** Null where a remote server does not say, as below. */
  readonly promptTokens: number | null;
  readonly reusedTokens: number | null;
  readonly evaluatedTokens: number | null;
  readonly generatedTokens: number;
  readonly queuedMs: number | null;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

/** A chance from 0 to 1 in whole percent. No estimate is certain: 99 at most. */
export function chancePercent(chance: number): number {
  return Math.min(99, Math.round(100 * chance));
}
