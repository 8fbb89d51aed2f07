import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { it } from 'vitest';

/** Milliseconds for each property, set by `npm run fuzz`; without it each has a few fixed runs, the same every time. */
const fuzzMs = Number(process.env.INKLING_FUZZ_MS ?? 0);
/** The same inputs each time, as far as the time goes; without it others. */
const fuzzSeed = Number(process.env.INKLING_FUZZ_SEED ?? 0);
/** The seed and the path of a failed run, as fast-check printed them and as JSON: only that run is made again. */
const replay = process.env.INKLING_FUZZ_REPLAY;
/** A file that gets a line of JSON for each property: its name and number of runs. */
const report = process.env.INKLING_FUZZ_REPORT;

const SEED = 15;
/** No demand on the code: a busy machine takes ten times as long as a quiet one. */
const TEST_TIMEOUT_MS = 180_000;

export interface PropertyOptions<Input> {
  /** Runs in `npm test`. */
  readonly runs?: number;
  /** Inputs that failed once; they run first. */
  readonly examples?: readonly Input[];
}

/**
 * A test that `holds` for any input: it throws, or rejects, for one that does not. The failure shows the smallest such
 * input; add it to `examples`.
 */
export function property<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  holds: (input: Input) => void | Promise<void>,
  { runs = 50, examples = [] }: PropertyOptions<Input> = {},
): void {
  it(
    name,
    async () => {
      let count = 0;
      const counted = fc.asyncProperty(input, async (each) => {
        count += 1;
        await holds(each);
      });
      const limits = replay === undefined ? limitsFor(runs + examples.length) : (JSON.parse(replay) as object);
      try {
        await fc.assert(counted, { ...limits, examples: examples.map((each): [Input] => [each]) });
      } finally {
        if (report !== undefined) appendFileSync(report, `${JSON.stringify({ name, runs: count })}\n`);
      }
    },
    TEST_TIMEOUT_MS + 2 * fuzzMs,
  );
}

function limitsFor(numRuns: number): object {
  if (fuzzMs === 0) return { numRuns, seed: SEED };
  const seed = fuzzSeed > 0 ? { seed: fuzzSeed } : {};
  return { ...seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: fuzzMs, markInterruptAsFailure: false };
}
