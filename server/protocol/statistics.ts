/** Client to server, request without parameters: counts since the statistics began. They never leave this machine. */
export const STATISTICS_REQUEST = 'inkling/statistics';

export interface CompletionStatistics {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly shown: number;
  readonly accepted: number;
  readonly partlyAccepted: number;
  /** Of the accepted ones, those whose text still stood there half a minute later, and those that did not. */
  readonly kept: number;
  readonly discarded: number;
  /** Of completions that the engine computed since the server started, in milliseconds; null before the first. */
  readonly latencyP50Ms: number | null;
  readonly latencyP90Ms: number | null;
}
