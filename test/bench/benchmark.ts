export interface BenchmarkOptions {
  /** How many measurements the medians are taken over. */
  readonly runs: number;
  /** Threads of the engine, and of its peer; 0 = as many as the engine chooses. */
  readonly threads: number;
  /** The GGUF file to measure with. */
  readonly model: string;
  /** One of the benchmark's parts; null = all of them. */
  readonly part: string | null;
  /** Says what is going on; not part of the result. */
  readonly progress: (text: string) => void;
}

export type BenchmarkScalar = string | number | boolean | readonly number[];

/** A group of fields of one side, or a single one. */
export type BenchmarkValue = BenchmarkScalar | Readonly<Record<string, BenchmarkScalar>>;

/** Field names are stable: whoever compares two commits reads them. */
export type BenchmarkFields = Readonly<Record<string, BenchmarkValue>>;

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  readonly defaultRuns: number;
  /** What `--part` takes; none where the benchmark has no parts. */
  readonly parts?: readonly string[];
  readonly run: (options: BenchmarkOptions) => Promise<BenchmarkFields>;
}
