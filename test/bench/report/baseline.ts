import type { BenchmarkFields } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';
import { field, type Ratio, type ReportStep } from './report-steps.js';

/** What is committed of one step. */
export interface StepBaseline {
  /** Where and when it was measured. */
  readonly measured: BenchmarkFields;
  readonly ratios: Readonly<Record<string, number>>;
  /** What documents quote. */
  readonly figures: Readonly<Record<string, number>>;
}

/** By the step's title. */
export type Baseline = Readonly<Record<string, StepBaseline>>;

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
  /** `missing`: one of both is. `skipped`: this machine cannot measure it. */
  readonly verdict: 'holds' | 'worse' | 'missing' | 'skipped';
}

/** Each ratio of each step beside the baseline's. Times are never compared: machines differ. */
export function compare(results: readonly StepResult[], baseline: Baseline): readonly Comparison[] {
  return results.flatMap(({ step, fields }) =>
    step.ratios.map((ratio) => {
      const measured = fields === null ? null : rounded(ratio.of(fields));
      const known = baseline[step.title]?.ratios[ratio.name] ?? null;
      const verdict = typeof fields?.skipped === 'string' ? 'skipped' : judge(ratio, measured, known);
      return { step: step.title, ratio, measured, baseline: known, verdict };
    }),
  );
}

function rounded(value: number): number | null {
  return Number.isFinite(value) ? round(value, 3) : null;
}

function judge(ratio: Ratio, measured: number | null, known: number | null): Comparison['verdict'] {
  if (measured === null || known === null) return 'missing';
  const noise = Math.abs(known) * ratio.slack + (ratio.noise ?? 0);
  const isWorse = ratio.better === 'higher' ? measured < known - noise : measured > known + noise;
  return isWorse ? 'worse' : 'holds';
}

/** The next baseline. A step that was not measured as a whole keeps what it had. */
export function renewed(results: readonly StepResult[], former: Baseline, machine: BenchmarkFields): Baseline {
  const next: Record<string, StepBaseline> = { ...former };
  for (const { step, fields } of results) {
    if (fields === null) continue;
    const ratios = step.ratios.map((ratio) => [ratio.name, rounded(ratio.of(fields))] as const);
    const figures = (step.figures ?? []).map((path) => [path, rounded(field(fields, path))] as const);
    const isWhole = [...ratios, ...figures].every(([, value]) => value !== null);
    if (isWhole) next[step.title] = { measured: machine, ratios: known(ratios), figures: known(figures) };
  }
  return next;
}

function known(numbers: readonly (readonly [string, number | null])[]): Record<string, number> {
  return Object.fromEntries(numbers.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
