import type { CompletionStatistics } from '../../../protocol/index.js';
import type { JsonFile } from '../../util/json-file.js';
import type { LatencyStats } from '../trigger/latency-stats.js';

const COUNTS = ['shown', 'accepted', 'partlyAccepted', 'kept', 'discarded'] as const;
type Count = (typeof COUNTS)[number];

type Counts = Record<Count, number> & { since: number };

/** Counts of suggestions. They stay on this machine. */
export class Statistics {
  readonly #file: JsonFile;
  readonly #latencies: LatencyStats;
  readonly #counts: Counts;

  constructor(file: JsonFile, latencies: LatencyStats) {
    this.#file = file;
    this.#latencies = latencies;
    this.#counts = parseCounts(file.read());
  }

  count(what: Count): void {
    this.#counts[what] += 1;
    this.#file.writeSoon(() => this.#counts);
  }

  summary(): CompletionStatistics {
    return {
      ...this.#counts,
      latencyP50Ms: this.#latencies.percentile(0.5),
      latencyP90Ms: this.#latencies.percentile(0.9),
    };
  }
}

/** Invalid counts become 0: a damaged file must not stop the server from starting. */
function parseCounts(value: unknown): Counts {
  const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const read = (name: string): number => {
    const count = given[name];
    return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : 0;
  };
  const counts = Object.fromEntries(COUNTS.map((name) => [name, read(name)])) as Record<Count, number>;
  return { ...counts, since: read('since') || Date.now() };
}
