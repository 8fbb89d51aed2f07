/** Client to server, request without parameters: counts since the statistics began. They never leave this machine. */
export const STATISTICS_REQUEST = 'inkling/statistics';

export interface CompletionStatistics {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly shown: number;
  readonly accepted: number;
  readonly partlyAccepted: number;
  /** Accepted suggestions whose text was still there half a minute later, and those whose text was not. */
  readonly kept: number;
  readonly discarded: number;
  /** Edits that followed from the last one: seen by the user, made with one key, refused. */
  readonly nextEditsShown: number;
  readonly nextEditsApplied: number;
  readonly nextEditsDismissed: number;
  /** Latency of the latest completions that the engine computed, in milliseconds; null before the first. */
  readonly latencyP50Ms: number | null;
  readonly latencyP90Ms: number | null;
}
