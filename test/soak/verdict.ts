import { percentile, round } from '../bench/measure/statistics.js';
import type { SettledVitals } from './vitals.js';

/** What a soak must keep; bytes, and a ratio. */
const AIMS = {
  rssDriftBytes: 10e6,
  handlesDrift: 0,
  threadsDrift: 0,
  p90EndOverStart: 1.2,
  /** A killed server is back in under two seconds, nine times of ten; its client waits 250 ms before it starts another. */
  restartMs: 1_750,
} as const;

export interface SoakResult {
  /** Of the server that ran all the time: settled after the warm-up, and settled at the end. */
  readonly start: SettledVitals;
  readonly end: SettledVitals;
  /** Resident bytes during the day. */
  readonly rssCourse: readonly number[];
  /** Milliseconds from key to answer, in typing of the same kind. `fresh`: of a server just started, at the end. */
  readonly latenciesMs: {
    readonly start: readonly number[];
    readonly end: readonly number[];
    readonly fresh: readonly number[];
  };
  readonly requests: {
    readonly asked: number;
    readonly answered: number;
    readonly refused: number;
    readonly lost: number;
    readonly unanswered: readonly string[];
    readonly failures: readonly string[];
    readonly slowestMs: number;
  };
  /** How often each activity and fault happened. */
  readonly happened: Readonly<Record<string, number>>;
  /** Milliseconds from the start of a server after a kill to its first suggestion. */
  readonly restartsMs: readonly number[];
  /** Settled resident bytes of servers started after a kill, in order. */
  readonly freshRss: readonly number[];
  /** Processes that a killed server left behind. */
  readonly orphans: number;
  /** Files in the state folder that hold no JSON. */
  readonly damagedFiles: readonly string[];
  /** Ends that nobody asked for, exit codes other than 0, text on stderr. */
  readonly badEnds: readonly string[];
}

/** The figures of a soak, by names that stay. */
export function soakFields(result: SoakResult) {
  const { start, end, latenciesMs, requests, freshRss, restartsMs } = result;
  const p90 = (values: readonly number[]) => (values.length === 0 ? 0 : percentile(values, 0.9));
  const latency = (values: readonly number[]) => ({
    answers: values.length,
    p50_ms: values.length === 0 ? 0 : round(percentile(values, 0.5), 1),
    p90_ms: round(p90(values), 1),
    p99_ms: values.length === 0 ? 0 : round(percentile(values, 0.99), 1),
  });
  return {
    rss_drift_bytes: end.rssBytes - start.rssBytes,
    rss_anonymous_drift_bytes: end.anonymousBytes - start.anonymousBytes,
    heap_drift_bytes: end.heapBytes - start.heapBytes,
    external_drift_bytes: end.externalBytes - start.externalBytes,
    code_drift_bytes: end.codeBytes - start.codeBytes,
    handles_drift: end.handles - start.handles,
    threads_drift: end.threads - start.threads,
    unanswered: requests.unanswered.length,
    p90_end_over_start: round(p90(latenciesMs.end) / p90(latenciesMs.start), 3),
    /** Says whether a slow end is the server's age or the machine. */
    p90_end_over_fresh: round(p90(latenciesMs.end) / p90(latenciesMs.fresh), 3),
    failed_requests: requests.failures.length,
    bad_ends: result.badEnds.length,
    orphans: result.orphans,
    damaged_files: result.damagedFiles.length,
    requests: {
      asked: requests.asked,
      answered: requests.answered,
      refused: requests.refused,
      lost_with_a_killed_server: requests.lost,
      slowest_ms: Math.round(requests.slowestMs),
    },
    start: { ...vitals(start), ...latency(latenciesMs.start) },
    end: { ...vitals(end), ...latency(latenciesMs.end) },
    fresh: latency(latenciesMs.fresh),
    restarts: {
      count: restartsMs.length,
      p50_ms: restartsMs.length === 0 ? 0 : Math.round(percentile(restartsMs, 0.5)),
      p90_ms: Math.round(p90(restartsMs)),
      longest_ms: Math.round(Math.max(0, ...restartsMs)),
      fresh_rss_drift_bytes: freshRss.length < 2 ? 0 : freshRss.at(-1)! - freshRss[0]!,
    },
    happened: result.happened,
    rss_course_bytes: result.rssCourse,
  };
}

function vitals({ rssBytes, anonymousBytes, heapBytes, externalBytes, codeBytes, handles, threads }: SettledVitals) {
  return {
    rss_bytes: rssBytes,
    rss_anonymous_bytes: anonymousBytes,
    heap_bytes: heapBytes,
    external_bytes: externalBytes,
    code_bytes: codeBytes,
    handles,
    threads,
  };
}

/** One sentence for each missed aim. */
export function missedAims(result: SoakResult): string[] {
  const fields = soakFields(result);
  const missed: string[] = [];
  const atMost = (value: number, aim: number, what: string) => {
    // Not a number means that nothing was measured.
    if (!(value <= aim)) missed.push(`${what}: ${value}, aim at most ${aim}`);
  };
  atMost(fields.rss_drift_bytes, AIMS.rssDriftBytes, 'resident bytes gained');
  atMost(fields.handles_drift, AIMS.handlesDrift, 'handles gained');
  atMost(fields.threads_drift, AIMS.threadsDrift, 'threads gained');
  atMost(fields.unanswered, 0, 'requests without an answer');
  atMost(fields.p90_end_over_start, AIMS.p90EndOverStart, 'p90 at the end over p90 at the start');
  atMost(fields.failed_requests, 0, 'failed requests');
  atMost(fields.bad_ends, 0, 'servers that did not end as they should');
  atMost(fields.orphans, 0, 'processes left behind');
  atMost(fields.damaged_files, 0, 'damaged files');
  const { count, p90_ms, longest_ms } = fields.restarts;
  const restarts = `p90 of ${count} restarts, the longest of ${longest_ms} ms, in milliseconds to the first suggestion`;
  atMost(p90_ms, AIMS.restartMs, restarts);
  return missed;
}
