import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseBenchArguments } from '../../../bench/arguments.js';
import { type Baseline, compare, renewed, type StepResult } from '../../../bench/report/baseline.js';
import { field, type Ratio, REPORT_STEPS, type ReportStep } from '../../../bench/report/report-steps.js';
import { REPOSITORY_ROOT } from '../../../support/source-tree.js';

const higher: Ratio = {
  name: 'speed',
  meaning: 'ours over theirs',
  of: (fields) => field(fields, 'ours.speed'),
  better: 'higher',
  slack: 0.2,
};
const lower: Ratio = { ...higher, name: 'cost', of: (fields) => field(fields, 'cost'), better: 'lower' };
const step: ReportStep = { title: 'decode', args: ['decode'], ratios: [higher, lower], figures: ['ours.ms'] };
const IDLE = { measured: { cores: 1 }, ratios: { share: 0.1 }, figures: {} };
const BASELINE: Baseline = {
  decode: { measured: { cores: 2 }, ratios: { speed: 2, cost: 1 }, figures: { 'ours.ms': 9 } },
  idle: IDLE,
};

function verdicts(fields: StepResult['fields'], baseline: Baseline = BASELINE) {
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

  it('is held by a difference around zero that is no further off than its noise', () => {
    const difference: Ratio = { ...lower, slack: 0, noise: 0.04 };
    const verdictOf = (cost: number, known: number, ratio = difference) =>
      compare([{ step: { ...step, ratios: [ratio] }, fields: { cost }, failure: null }], {
        decode: { ...IDLE, ratios: { cost: known } },
      })[0]?.verdict;
    expect(verdictOf(-0.004, -0.006)).toBe('holds');
    expect(verdictOf(0.03, -0.006)).toBe('holds');
    expect(verdictOf(0.035, -0.006)).toBe('worse');
    // What is better than nothing makes the allowed part no smaller.
    expect(verdictOf(-0.008, -0.01, lower)).toBe('holds');
  });

  it('is missed where a ratio is missing here or there', () => {
    expect(verdicts(null)).toEqual(['missing', 'missing']);
    expect(verdicts({ cost: 1 })).toEqual(['missing', 'holds']);
    expect(verdicts({ ours: { speed: 1 }, cost: 1 }, {})).toEqual(['missing', 'missing']);
  });

  it('is not asked about what this machine cannot measure', () => {
    expect(verdicts({ skipped: 'no /proc' })).toEqual(['skipped', 'skipped']);
  });

  it('is renewed for the steps that were measured, with their machine, and keeps the others', () => {
    const fields = { ours: { speed: 3, ms: 7.1234 }, cost: 3 };
    expect(renewed([{ step, fields, failure: null }], BASELINE, { cores: 4 })).toEqual({
      decode: { measured: { cores: 4 }, ratios: { speed: 3, cost: 3 }, figures: { 'ours.ms': 7.123 } },
      idle: IDLE,
    });
  });

  it.each([
    ['failed', null],
    ['has no ratio', { ours: { ms: 7 }, cost: 3 }],
    ['has no figure', { ours: { speed: 3 }, cost: 3 }],
  ])('keeps what it had of a step that %s', (_, fields) => {
    expect(renewed([{ step, fields, failure: null }], BASELINE, { cores: 4 })).toEqual(BASELINE);
  });
});

describe('the report', () => {
  it('has steps of known options, with titles of their own', () => {
    const names = [...new Set(REPORT_STEPS.map(({ args }) => args[0] ?? ''))];
    expect(new Set(REPORT_STEPS.map(({ title }) => title)).size).toBe(REPORT_STEPS.length);
    for (const { args } of REPORT_STEPS) expect(parseBenchArguments(args, names).kind).toBe('run');
  });

  it('allows no ratio to get worse by half, unless its value is noise', () => {
    const loose = REPORT_STEPS.flatMap(({ ratios }) =>
      ratios.filter(({ slack, noise = 0 }) => slack > 0.35 || noise > 0),
    );
    expect(loose.map(({ name }) => name)).toEqual([
      'ours_ms over peer_ms',
      'prefill_growth_over_kv',
      'checkpoint_over_prefill',
    ]);
  });

  it('finds each of its ratios and figures in the committed baseline, and nothing else', () => {
    const names = (numbers: Readonly<Record<string, number>>) => Object.keys(numbers).sort();
    const known = Object.entries(committed()).map(([title, { ratios, figures }]) => [
      title,
      names(ratios),
      names(figures),
    ]);
    const wanted = REPORT_STEPS.map(({ title, ratios, figures = [] }) => [
      title,
      ratios.map(({ name }) => name).sort(),
      [...figures].sort(),
    ]);
    expect(known.sort()).toEqual(wanted.sort());
  });

  it('has a baseline of commits that are in the history', (context) => {
    const git = (...args: string[]) => spawnSync('git', args, { cwd: REPOSITORY_ROOT, encoding: 'utf8' });
    if (git('rev-parse', '--is-shallow-repository').stdout.trim() !== 'false') context.skip();
    const commits = Object.values(committed()).map(({ measured }) => String(measured.commit));
    expect(commits.length).toBeGreaterThan(0);
    const unknown = commits.filter((commit) => git('merge-base', '--is-ancestor', commit, 'HEAD').status !== 0);
    expect(unknown).toEqual([]);
  });
});

describe('the figures of README', () => {
  const readme = readFileSync(path.join(REPOSITORY_ROOT, 'README.md'), 'utf8');
  const { keystrokes, 'decode ballast': ballast, 'reuse sessions': sessions } = committed();
  const whole = (value: number | undefined) => Math.round(value ?? Number.NaN).toLocaleString('en-US');
  const tenths = (value: number | undefined) => (value ?? Number.NaN).toFixed(1);

  it.each([
    ['time from key to answer', /(\d+) ms from key to answer/, whole(keystrokes?.figures['ours.p50_ms'])],
    ["llama-server's time over that", /take (\d+) times as long/, whole(keystrokes?.ratios.ratio_p50)],
    [
      'a large model over plain decoding',
      /([\d.]+) times llama-server's plain/,
      tenths(ballast?.ratios.ballast_q4_k_auto_over_peer_plain),
    ],
    [
      'a large model over drafts',
      /([\d.]+) times its speed with its own drafts/,
      tenths(ballast?.ratios.ballast_q4_k_auto_over_peer_mtp),
    ],
    ['tokens evaluated', /([\d,]+) tokens evaluated instead/, whole(sessions?.figures.sessions_evaluated_tokens)],
    ['tokens evaluated by a fresh engine', /instead of ([\d,]+) in/, whole(sessions?.figures.sessions_fresh_tokens)],
    ['requests', /in ([\d,]+) test requests/, whole(sessions?.figures.sessions_requests)],
  ])('%s', (_, place, figure) => {
    expect(place.exec(readme)?.[1]).toBe(figure);
  });

  it('date', () => {
    const dates = [keystrokes, ballast, sessions].map((step) => String(step?.measured.date).slice(0, 10));
    const written = /on (\d+) (\w+) (\d{4})\./.exec(readme);
    const [, day = '', month = '', year = ''] = written ?? [];
    const date = new Date(`${day} ${month} ${year} UTC`).toISOString().slice(0, 10);
    expect(new Set(dates)).toEqual(new Set([date]));
  });
});

function committed(): Baseline {
  return JSON.parse(readFileSync(path.join(REPOSITORY_ROOT, 'test/bench/report/baseline.json'), 'utf8')) as Baseline;
}
