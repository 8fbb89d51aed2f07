import { beforeEach, describe, expect, it } from 'vitest';
import { decodeSpeed, prefillSpeed } from '../../../../../server/src/engine/measured/generation-speed.js';
import { MeasuredSpeeds, UNDISTURBED } from '../../../../../server/src/engine/measured/measured-speeds.js';
import type {
  GenerationMetrics,
  GenerationResult,
  LocalMetrics,
} from '../../../../../server/src/engine/port/generation.js';
import type { Change } from '../../../../../server/src/util/files/json-file.js';
import { FACTS, METRICS } from '../../scripted-engine.js';

let stored: unknown;
let due: Change | null;
const file = {
  read: () => stored,
  changeSoon: (change: Change) => {
    due = change;
  },
};

/** What the delayed change leaves in the file. */
function flush(): unknown {
  stored = due?.merge(stored) ?? stored;
  due = null;
  return stored;
}

function prefill(tokensPerSecond: number, more: Partial<GenerationMetrics> = {}, stopReason = 'endOfText' as const) {
  const metrics = { ...METRICS, promptTokens: 1_000, reusedTokens: 0, prefillMs: 1_000_000 / tokensPerSecond, ...more };
  return {
    text: '',
    tokens: [],
    logProbabilities: [],
    scores: [],
    runnersUp: [],
    stopReason,
    metrics,
  } as GenerationResult;
}

function measured(speeds: MeasuredSpeeds, ...all: readonly number[]): number | null {
  for (const speed of all) speeds.add(FACTS, prefill(speed));
  const speed = speeds.of(FACTS);
  return speed === null ? null : Math.round(speed);
}

beforeEach(() => {
  stored = null;
  due = null;
});

describe('the speed', () => {
  it('is the median of the last prefills, once there are three', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    expect(measured(speeds)).toBeNull();
    expect(measured(speeds, 300, 1_000)).toBeNull();
    expect(measured(speeds, 1_100)).toBe(1_000);
    expect(measured(speeds, 20, 1_200, 30)).toBe(1_000);
    expect(measured(speeds, ...Array<number>(9).fill(2_000))).toBe(2_000);
  });

  it('is learned from one undisturbed prefill, until there are three', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    speeds.learn(FACTS, prefill(700));
    speeds.learn(FACTS, prefill(900));
    expect(speeds.of(FACTS)).toBeCloseTo(700);
    expect(flush()).toMatchObject([{ path: FACTS.path, tokensPerSecond: expect.closeTo(700) }]);
    expect(measured(speeds, 1_000, 1_100, 1_200)).toBe(1_100);
    speeds.learn(FACTS, prefill(700));
    expect(speeds.of(FACTS)).toBeCloseTo(1_100);
  });

  it.each([
    ['a short prefill', prefill(9_000, { reusedTokens: 900 })],
    ['a prefill without a time', prefill(9_000, { prefillMs: 0 })],
    ['a server that does not say', prefill(9_000, { promptTokens: null })],
    ['an absurd one', prefill(1e9)],
    ['a cancelled one of a remote server', { ...prefill(9_000, { local: null }), stopReason: 'aborted' as const }],
  ])('does not count %s', (_, result) => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    for (let index = 0; index < 5; index += 1) speeds.add(FACTS, result);
    expect(speeds.of(FACTS)).toBeNull();
  });

  it('counts what a cancelled prefill really evaluated', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    const local = { ...METRICS.local!, evaluatedTokens: 256, rounds: 0 };
    const cut = prefill(1, { local, generatedTokens: 0, prefillMs: 512 });
    for (let index = 0; index < 2; index += 1) speeds.add(FACTS, { ...cut, stopReason: 'aborted' });
    speeds.add(FACTS, { ...cut, stopReason: 'timeBudget' });
    expect(speeds.of(FACTS)).toBe(500);
  });

  it('counts a whole prefill whose answer was stopped', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    const local = { ...METRICS.local!, evaluatedTokens: 1_030, rounds: 9 };
    const stopped = prefill(1, { local, generatedTokens: 20, prefillMs: 500 });
    for (let index = 0; index < 2; index += 1) speeds.add(FACTS, { ...stopped, stopReason: 'aborted' });
    speeds.add(FACTS, { ...stopped, stopReason: 'timeBudget' });
    expect(speeds.of(FACTS)).toBe(2_000);
  });

  it('that other programs held up counts in one session', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    speeds.learn(FACTS, prefill(70), true);
    expect(speeds.of(FACTS)).toBeCloseTo(70);
    expect(speeds.ofFile(FACTS.path)).toBeCloseTo(70);
    expect(flush()).toBeNull();
    expect(new MeasuredSpeeds(file, 'cpu', prefillSpeed).of(FACTS)).toBeNull();
    expect(measured(speeds, 900, 900)).toBe(900);
    expect(flush()).toMatchObject([{ tokensPerSecond: expect.closeTo(900) }]);
  });

  it('is one of a model on a device: after a fallback what the GPU did does not count', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    for (let index = 0; index < 3; index += 1) speeds.add({ ...FACTS, backend: 'CUDA' }, prefill(20_000));
    expect(speeds.of(FACTS)).toBeNull();
    expect(speeds.of({ ...FACTS, path: '/other.gguf', backend: 'CUDA' })).toBeNull();
    expect(measured(speeds, 800, 800, 800)).toBe(800);
    expect(speeds.of({ ...FACTS, backend: 'CUDA' })).toBeCloseTo(20_000);
  });
});

describe('the speed of decoding', () => {
  const step = (stepMs: number | null) => prefill(500, { local: { ...METRICS.local!, stepMs } });

  it('is what the engine measured of one token without drafts', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', decodeSpeed);
    for (let index = 0; index < 3; index += 1) speeds.add(FACTS, step(50));
    expect(speeds.of(FACTS)).toBe(20);
  });

  it('is the fastest that the machine was capable of lately', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', decodeSpeed, UNDISTURBED);
    const speedAfter = (count: number, stepMs: number) => {
      for (let index = 0; index < count; index += 1) speeds.add(FACTS, step(stepMs));
      return speeds.of(FACTS);
    };
    expect(speedAfter(8, 10)).toBeNull();
    expect(speedAfter(1, 10)).toBe(100);
    expect(speedAfter(1, 2)).toBe(500);
    expect(speedAfter(99, 10)).toBe(500);
    expect(speedAfter(1, 10)).toBe(100);
  });

  it('is what was learned while nothing disturbed it, also after disturbed answers', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', decodeSpeed, UNDISTURBED);
    speeds.learn(FACTS, step(2));
    for (let index = 0; index < 20; index += 1) speeds.add(FACTS, step(10));
    expect(speeds.of(FACTS)).toBe(500);
    expect(flush()).toMatchObject([{ tokensPerSecond: 500 }]);
    // The next session may begin on a busy machine.
    const next = new MeasuredSpeeds(file, 'cpu', decodeSpeed, UNDISTURBED);
    for (let index = 0; index < 20; index += 1) next.add(FACTS, step(10));
    expect(next.of(FACTS)).toBe(500);
  });

  it('is what an answer without drafts took, if it is long enough', () => {
    const answer = (rounds: number, more: Partial<LocalMetrics> = {}) =>
      prefill(500, { generatedTokens: 28, decodeMs: 500, local: { ...METRICS.local!, stepMs: 20, rounds, ...more } });
    expect(decodeSpeed(answer(20))).toBe(40);
    expect(decodeSpeed(answer(20, { replayedTokens: 8 }))).toBe(40);
    expect(decodeSpeed(answer(8, { replayedTokens: 20 }))).toBe(50);
    expect(decodeSpeed(answer(20, { draftedTokens: 3 }))).toBe(50);
    expect(decodeSpeed(answer(20, { draftedTokens: 3, stepMs: null }))).toBeNull();
  });

  it('is not what tokens took that the request gave', () => {
    const local = { ...METRICS.local!, stepMs: 20, rounds: 0 };
    expect(decodeSpeed(prefill(500, { generatedTokens: 30, decodeMs: 0.3, local }))).toBe(50);
  });

  it.each([
    ['before the engine has measured it', step(null)],
    ['where it took no time', step(0)],
    ['of a remote server', prefill(500, { local: null })],
  ])('is unknown %s', (_, result) => {
    expect(decodeSpeed(result)).toBeNull();
  });
});

describe('what is remembered', () => {
  it('tells the models of one device apart from those of another', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    for (let index = 0; index < 3; index += 1) speeds.add({ ...FACTS, backend: 'CUDA' }, prefill(20_000));
    measured(speeds, 800, 800, 800);
    flush();
    const next = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    expect([...next.byFile('CUDA')]).toEqual([[FACTS.path, expect.closeTo(20_000)]]);
    expect([...next.byFile('CPU')]).toEqual([[FACTS.path, expect.closeTo(800)]]);
    expect(next.byFile(null)).toEqual(next.byFile('CPU'));
    expect(next.byFile('Metal').size).toBe(0);
    expect(new MeasuredSpeeds(file, 'other', prefillSpeed).byFile(null).size).toBe(0);
  });

  it('serves the next session until that one has measured itself', () => {
    measured(new MeasuredSpeeds(file, 'cpu', prefillSpeed), 700, 800, 900);
    flush();
    const next = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    expect(measured(next, 100)).toBe(800);
    expect(next.ofFile(FACTS.path)).toBeCloseTo(800);
    expect(measured(next, 100, 100)).toBe(100);
  });

  it('is the speed on the device where the model ran last, of this machine', () => {
    const speeds = new MeasuredSpeeds(file, 'cpu', prefillSpeed);
    for (let index = 0; index < 3; index += 1) speeds.add({ ...FACTS, backend: 'CUDA' }, prefill(20_000));
    measured(speeds, 800, 800, 800);
    flush();
    expect(new MeasuredSpeeds(file, 'cpu', prefillSpeed).ofFile(FACTS.path)).toBeCloseTo(800);
    expect(new MeasuredSpeeds(file, 'other', prefillSpeed).ofFile(FACTS.path)).toBeNull();
    expect(new MeasuredSpeeds(file, 'cpu', prefillSpeed).ofFile('/never.gguf')).toBeNull();
  });

  it('keeps what other windows measured', () => {
    measured(new MeasuredSpeeds(file, 'cpu', prefillSpeed), 700, 800, 900);
    stored = [{ path: '/theirs.gguf', device: 'cpu, CPU', tokensPerSecond: 50 }];
    flush();
    expect(stored).toEqual([
      { path: '/theirs.gguf', device: 'cpu, CPU', tokensPerSecond: 50 },
      { path: FACTS.path, device: 'cpu, CPU', tokensPerSecond: expect.closeTo(800) },
    ]);
  });

  it.each([
    'text',
    {},
    [null, 3, {}],
    [{ path: FACTS.path, device: 'cpu, CPU', tokensPerSecond: 'fast' }],
    [{ path: FACTS.path, device: 'cpu, CPU', tokensPerSecond: Number.MAX_VALUE }],
    [{ path: 'x'.repeat(100_000), device: 'cpu, CPU', tokensPerSecond: 5 }],
  ])('is nothing where the file holds %j', (content) => {
    stored = content;
    expect(new MeasuredSpeeds(file, 'cpu', prefillSpeed).of(FACTS)).toBeNull();
  });
});
