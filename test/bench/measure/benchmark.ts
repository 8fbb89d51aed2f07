export interface BenchmarkOptions {
  /** How many measurements the medians are taken over. */
  readonly runs: number;
  /** Threads of the engine and of its peer; 0 = the engine's choice. */
  readonly threads: number;
  /** The GGUF file to measure with. */
  readonly model: string;
  /** One of the benchmark's parts; null = all of them. */
  readonly part: string | null;
  /** The setting `inkling.completion.eagerness`. */
  readonly eagerness: string;
  /** The GPU that both sides compute on, such as `Vulkan0`; null = the processor. */
  readonly device: string | null;
  /** Prints the progress, which is not part of the result. */
  readonly progress: (text: string) => void;
}

export type BenchmarkScalar = string | number | boolean | readonly number[];

/** A group of fields of one side, or a single one. */
export type BenchmarkValue = BenchmarkScalar | Readonly<Record<string, BenchmarkScalar>>;

/** Field names are stable, since they are compared between commits. */
export type BenchmarkFields = Readonly<Record<string, BenchmarkValue>>;

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  readonly defaultRuns: number;
  /** The values of `--part`; absent for a benchmark without parts. */
  readonly parts?: readonly string[];
  /** Whether it takes `--device`. */
  readonly onDevices?: boolean;
  readonly run: (options: BenchmarkOptions) => Promise<BenchmarkFields>;
}

/** The fields of a part, whose names could be those of another. */
export function prefixed(part: string, fields: BenchmarkFields): BenchmarkFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${part}_${name}`, value]));
}
