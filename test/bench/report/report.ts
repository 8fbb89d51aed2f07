import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { type Baseline, type Comparison, compare, renewed, type StepResult } from './baseline.js';
import { describeMachine } from './machine.js';
import { REPORT_STEPS, type ReportStep } from './report-steps.js';
import { formatTable } from './table.js';

const BASELINE = path.join(REPOSITORY_ROOT, 'test/bench/report/baseline.json');
const OUTPUT = path.join(REPOSITORY_ROOT, 'test/.output/bench');
const STEP_LIMIT_MS = 20 * 60_000;

/**
 * Runs all steps of the report, one after the other, and writes `report.md` and `report.json` to test/.output/bench.
 *
 * @param only titles of steps; empty for all
 * @param update makes the measured ratios the baseline
 * @returns the exit code: 1 if a step failed, a ratio is missing, or one is worse than the baseline's by more than its
 * noise
 */
export function writeReport(only: readonly string[], update: boolean): number {
  const unknown = only.filter((title) => !REPORT_STEPS.some((step) => step.title === title));
  if (unknown.length > 0) {
    const titles = REPORT_STEPS.map(({ title }) => title).join(', ');
    console.error(`bench: the report has no step ${unknown.join(', ')}; the steps are ${titles}`);
    return 2;
  }
  const machine = describeMachine();
  const steps = REPORT_STEPS.filter(({ title }) => only.length === 0 || only.includes(title));
  const results = steps.map((step, index) => {
    const started = Date.now();
    process.stderr.write(`bench: ${step.title} (${index + 1} of ${steps.length})\n`);
    const result = runStep(step);
    process.stderr.write(
      `bench: ${result.failure ?? skippedWhy(result) ?? 'done'}, ${Math.round((Date.now() - started) / 1000)} s\n`,
    );
    return result;
  });
  const baseline = readBaseline();
  const comparisons = compare(results, baseline);
  mkdirSync(OUTPUT, { recursive: true });
  const measured = results.map(({ step, fields, failure }) => ({ step: step.title, failure, ...fields }));
  writeFileSync(path.join(OUTPUT, 'report.json'), `${JSON.stringify({ machine, results: measured }, null, 2)}\n`);
  writeFileSync(path.join(OUTPUT, 'report.md'), formatReport(machine, results, comparisons));
  if (update) {
    writeFileSync(BASELINE, `${JSON.stringify(renewed(results, baseline, machine), null, 2)}\n`);
  }
  console.log(formatComparisons(comparisons));
  console.log(`\nThe report is in ${path.relative(process.cwd(), OUTPUT)}/report.md and report.json.`);
  const failed = results.some(({ failure }) => failure !== null);
  const isBad = ({ measured, verdict }: Comparison): boolean =>
    update ? measured === null && verdict !== 'skipped' : verdict === 'worse' || verdict === 'missing';
  return failed || comparisons.some(isBad) ? 1 : 0;
}

/** Why a step had nothing to measure here; null where it had. */
function skippedWhy({ fields }: StepResult): string | null {
  return typeof fields?.skipped === 'string' ? `skipped: ${fields.skipped}` : null;
}

/** In a process of its own, so that no step measures what an earlier one left behind. */
function runStep(step: ReportStep): StepResult {
  const program = process.argv[1] ?? '';
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, [program, ...step.args, '--json'], {
    encoding: 'utf8',
    timeout: STEP_LIMIT_MS,
    maxBuffer: 64 * 2 ** 20,
  });
  if (status !== 0) {
    const last = stderr?.trim().split('\n').at(-1) ?? '';
    return { step, fields: null, failure: `failed (${signal ?? error?.message ?? status}): ${last}` };
  }
  try {
    const fields = JSON.parse(stdout) as BenchmarkFields;
    return { step, fields, failure: null };
  } catch {
    return { step, fields: null, failure: 'failed: the result is no JSON' };
  }
}

function readBaseline(): Baseline {
  return existsSync(BASELINE) ? (JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline) : {};
}

function formatReport(
  machine: BenchmarkFields,
  results: readonly StepResult[],
  comparisons: readonly Comparison[],
): string {
  const facts = Object.entries(machine).map(([name, value]) => `| ${name} | ${String(value)} |`);
  const sections = results.map(({ step, fields, failure }) => {
    const body = fields === null ? (failure ?? '') : `\`\`\`\n${formatTable(fields)}\n\`\`\``;
    return `## ${step.title}\n\n\`npm run --silent bench -- ${step.args.join(' ')}\`\n\n${body}\n`;
  });
  return [
    '# Benchmarks\n',
    ['| | |', '| --- | --- |', ...facts].join('\n'),
    `\n## Ratios\n\n${formatComparisons(comparisons)}\n`,
    ...sections,
  ].join('\n');
}

/** A Markdown table. */
function formatComparisons(comparisons: readonly Comparison[]): string {
  const show = (value: number | null): string => (value === null ? 'none' : String(value));
  const rows = comparisons.map(
    ({ step, ratio, measured, baseline, verdict }) =>
      `| ${step} | ${ratio.meaning} | ${show(measured)} | ${show(baseline)} | ${ratio.better} is better | ${verdict} |`,
  );
  return ['| step | ratio | here | baseline | | |', '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n');
}
