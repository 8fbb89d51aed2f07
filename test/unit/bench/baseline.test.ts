import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseBenchArguments } from '../../bench/arguments.js';
import { type Baseline, compare, renewed, type StepResult } from '../../bench/baseline.js';
import { field, type Ratio, REPORT_STEPS, type ReportStep } from '../../bench/report-steps.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

const higher: Ratio = {
  name: 'speed',
  meaning: 'ours over theirs',
  of: (fields) => field(fields, 'ours.speed'),
  better: 'higher',
  slack: 0.2,
};
const lower: Ratio = { ...higher, name: 'cost', of: (fields) => field(fields, 'cost'), better: 'lower' };
const step: ReportStep = { title: 'decode', args: ['decode'], ratios: [higher, lower] };
const BASELINE: Baseline = { machine: { cores: 2 }, ratios: { decode: { speed: 2, cost: 1 } } };

function verdicts(fields: StepResult['fields'], baseline: Baseline | null = BASELINE) {
  return compare([{ step, fields, failure: null }], baseline).map(({ verdict }) => verdict);
}

describe('the baseline of the benchmarks', () => {
  it('is held within the noise, and by what is better', () => {
    expect(verdicts({ ours: { speed: 1.6 }, cost: 1.2 })).toEqual(['holds', 'holds']);
    expect(verdicts({ ours: { speed: 9 }, cost: 0.1 })).toEqual(['holds', 'holds']);
  });

  it('is missed by what is worse than its noise', () => {
    expect(verdicts({ ours: { speed: 1.59 }, cost: 1.21 })).toEqual(['worse', 'worse']);
  });

  it('says nothing where a ratio is missing', () => {
    expect(verdicts(null)).toEqual(['unknown', 'unknown']);
    expect(verdicts({ cost: 1 })).toEqual(['unknown', 'holds']);
    expect(verdicts({ ours: { speed: 1 }, cost: 1 }, null)).toEqual(['unknown', 'unknown']);
  });

  it('is renewed by what was measured, and keeps the rest', () => {
    const comparisons = compare([{ step, fields: { cost: 3 }, failure: null }], BASELINE);
    expect(renewed(comparisons, BASELINE, { cores: 4 })).toEqual({
      machine: { cores: 4 },
      ratios: { decode: { speed: 2, cost: 3 } },
    });
  });

  it('keeps the ratios of steps that did not run', () => {
    const other: Baseline = { machine: {}, ratios: { ...BASELINE.ratios, idle: { share: 0.1 } } };
    const comparisons = compare([{ step, fields: { cost: 3 }, failure: null }], other);
    expect(renewed(comparisons, other, {}).ratios).toMatchObject({ idle: { share: 0.1 } });
  });
});

describe('the report', () => {
  it('has steps of known options, with titles of their own', () => {
    const names = [...new Set(REPORT_STEPS.map(({ args }) => args[0] ?? ''))];
    expect(new Set(REPORT_STEPS.map(({ title }) => title)).size).toBe(REPORT_STEPS.length);
    for (const { args } of REPORT_STEPS) expect(parseBenchArguments(args, names).kind).toBe('run');
  });

  it('finds each of its ratios in the committed baseline', () => {
    const file = path.join(REPOSITORY_ROOT, 'test/bench/baseline.json');
    expect(existsSync(file)).toBe(true);
    const { ratios } = JSON.parse(readFileSync(file, 'utf8')) as Baseline;
    const known = Object.entries(ratios).flatMap(([title, each]) => Object.keys(each).map((name) => [title, name]));
    const wanted = REPORT_STEPS.flatMap(({ title, ratios }) => ratios.map(({ name }) => [title, name]));
    expect(known.sort()).toEqual(wanted.sort());
  });

  it('gives README its figure', () => {
    const read = (file: string) => readFileSync(path.join(REPOSITORY_ROOT, file), 'utf8');
    const { ratios } = JSON.parse(read('test/bench/baseline.json')) as Baseline;
    const [, times] = /take (\d+) times as long/.exec(read('README.md')) ?? [];
    expect(times).toBe(String(Math.round(ratios.keystrokes?.ratio_p50 ?? 0)));
  });
});
