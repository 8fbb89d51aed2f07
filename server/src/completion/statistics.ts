import type { CompletionStatistics } from '../../protocol/index.js';
import type { LatencyStats } from './latency-stats.js';

const COUNTS = ['shown', 'accepted', 'partlyAccepted', 'kept', 'discarded'] as const;
type Count = (typeof COUNTS)[number];

type Counts = Record<Count, number> & { since: number };

/** Where counts stay between sessions. */
export interface StatisticsFile {
  /** Null where there is none, or none that can be read. */
  read(): unknown;
  write(value: unknown): void;
}

/** A write is due this long after a count. */
const WRITE_DELAY_MS = 5_000;

/** Counts of suggestions, kept on this machine and nowhere else. */
export class Statistics {
  readonly #file: StatisticsFile;
  readonly #latencies: LatencyStats;
  readonly #counts: Counts;
  #due: NodeJS.Timeout | null = null;

  constructor(file: StatisticsFile, latencies: LatencyStats) {
    this.#file = file;
    this.#latencies = latencies;
    this.#counts = parseCounts(file.read());
  }

  count(what: Count): void {
    this.#counts[what] += 1;
    this.#due ??= setTimeout(() => this.flush(), WRITE_DELAY_MS).unref();
  }

  summary(): CompletionStatistics {
    return {
      ...this.#counts,
      latencyP50Ms: this.#latencies.percentile(0.5),
      latencyP90Ms: this.#latencies.percentile(0.9),
    };
  }

  /** Writes what is not written yet; also at the end of the process. */
  flush(): void {
    if (this.#due === null) return;
    clearTimeout(this.#due);
    this.#due = null;
    this.#file.write(this.#counts);
  }
}

/** Anything that is no count becomes 0: a damaged file must not keep the server from starting. */
function parseCounts(value: unknown): Counts {
  const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const read = (name: string): number => {
    const count = given[name];
    return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : 0;
  };
  const counts = Object.fromEntries(COUNTS.map((name) => [name, read(name)])) as Record<Count, number>;
  return { ...counts, since: read('since') || Date.now() };
}
