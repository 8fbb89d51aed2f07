import { type CompletionStatistics, isCount } from '../../../protocol/index.js';
import type { JsonFile } from '../../util/files/json-file.js';
import type { LatencyStats } from '../trigger/latency-stats.js';

const COUNTS = [
  'shown',
  'accepted',
  'partlyAccepted',
  'kept',
  'discarded',
  'nextEditsShown',
  'nextEditsApplied',
  'nextEditsDismissed',
] as const;
type Count = (typeof COUNTS)[number];

type Counts = Readonly<Record<Count, number>>;

interface Statistic {
  readonly counts: Counts;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const NOTHING = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;

/** Counts of suggestions in all windows. They stay on this machine. */
export class Statistics {
  readonly #file: JsonFile;
  readonly #latencies: LatencyStats;
  /** As last seen in the file. */
  #stored: Statistic;
  /** Counted here since then. */
  #unsaved: Counts = NOTHING;

  constructor(file: JsonFile, latencies: LatencyStats) {
    this.#file = file;
    this.#latencies = latencies;
    this.#stored = parseStatistic(file.read()) ?? { counts: NOTHING, since: Date.now() };
  }

  /** @param insteadOf what was counted before and is now known to be `what`; null for nothing */
  count(what: Count, insteadOf: Count | null = null): void {
    this.#unsaved = { ...this.#unsaved, [what]: this.#unsaved[what] + 1 };
    if (insteadOf !== null) this.#unsaved = { ...this.#unsaved, [insteadOf]: this.#unsaved[insteadOf] - 1 };
    let merged = this.#stored;
    this.#file.changeSoon({
      merge: (stored) => {
        // Other windows count as well. A file that is gone or damaged gets what this window knows.
        const { counts, since } = parseStatistic(stored) ?? this.#stored;
        merged = { counts: sum(counts, this.#unsaved), since };
        return { ...merged.counts, since };
      },
      written: () => {
        this.#stored = merged;
        this.#unsaved = NOTHING;
      },
    });
  }

  /** Other windows may have counted since this one has last looked. */
  summary(): CompletionStatistics {
    this.#stored = parseStatistic(this.#file.read()) ?? this.#stored;
    return {
      ...sum(this.#stored.counts, this.#unsaved),
      since: this.#stored.since,
      latencyP50Ms: this.#latencies.percentile(0.5),
      latencyP90Ms: this.#latencies.percentile(0.9),
    };
  }
}

/** What this window takes back may be gone from the file. */
function sum(left: Counts, right: Counts): Counts {
  return Object.fromEntries(COUNTS.map((name) => [name, Math.max(0, left[name] + right[name])])) as Record<
    Count,
    number
  >;
}

/** Dates know no later one, in milliseconds since the epoch. */
const LAST_TIME = 8.64e15;

/** Null if there is none. An invalid count becomes 0: a damaged file must not stop the server from starting. */
function parseStatistic(value: unknown): Statistic | null {
  if (typeof value !== 'object' || value === null) return null;
  const given = value as Record<string, unknown>;
  const read = (name: string): number => {
    const count = given[name];
    return isCount(count) ? count : 0;
  };
  const since = read('since');
  if (since === 0 || since > LAST_TIME) return null;
  return { counts: Object.fromEntries(COUNTS.map((name) => [name, read(name)])) as Record<Count, number>, since };
}
