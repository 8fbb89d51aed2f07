import type { BenchmarkFields } from './benchmark.js';
import type { Ratio, ReportStep } from './report-steps.js';
import { round } from './statistics.js';

/** The committed ratios, by step and name. */
export interface Baseline {
  /** Where and when they were measured. */
  readonly machine: BenchmarkFields;
  readonly ratios: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface StepResult {
  readonly step: ReportStep;
  /** Null if it failed; `failure` then says why. */
  readonly fields: BenchmarkFields | null;
  readonly failure: string | null;
}

export interface Comparison {
  readonly step: string;
  readonly ratio: Ratio;
  /** Null if there is none. */
  readonly measured: number | null;
  readonly baseline: number | null;
  /** `unknown` where one of both is missing. */
  readonly verdict: 'holds' | 'worse' | 'unknown';
}

/** Each ratio of each step beside the baseline's. Times are never compared: machines differ. */
export function compare(results: readonly StepResult[], baseline: Baseline | null): readonly Comparison[] {
  return results.flatMap(({ step, fields }) =>
    step.ratios.map((ratio) => {
      const value = fields === null ? Number.NaN : ratio.of(fields);
      const measured = Number.isFinite(value) ? round(value, 3) : null;
      const known = baseline?.ratios[step.title]?.[ratio.name] ?? null;
      return { step: step.title, ratio, measured, baseline: known, verdict: judge(ratio, measured, known) };
    }),
  );
}

function judge({ better, slack }: Ratio, measured: number | null, known: number | null): Comparison['verdict'] {
  if (measured === null || known === null) return 'unknown';
  const isWorse = better === 'higher' ? measured < known * (1 - slack) : measured > known * (1 + slack);
  return isWorse ? 'worse' : 'holds';
}

/** What was measured as the next baseline; what was not measured keeps its former ratio. */
export function renewed(
  comparisons: readonly Comparison[],
  former: Baseline | null,
  machine: BenchmarkFields,
): Baseline {
  const ratios: Record<string, Readonly<Record<string, number>>> = { ...former?.ratios };
  for (const { step, ratio, measured } of comparisons) {
    if (measured !== null) ratios[step] = { ...ratios[step], [ratio.name]: measured };
  }
  return { machine, ratios };
}
