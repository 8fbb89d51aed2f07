import { describe, expect, it } from 'vitest';
import { chanceOf } from '../../../../server/src/completion/confidence/gate.js';
import {
  GATE_FEATURES,
  type GateFeature,
  type GateModel,
} from '../../../../server/src/completion/confidence/gate-model.js';
import { areaUnderCurve, calibrationError, fitGate, type GateExample } from '../../../bench/quality/gate-fit.js';
import { seededRandom } from '../../../support/seeded-random.js';

const NONE = Object.fromEntries(GATE_FEATURES.map((name) => [name, 0])) as Record<GateFeature, number>;
const example = (logOdds: number, right: boolean, more: Partial<Record<GateFeature, number>> = {}): GateExample => ({
  features: { ...NONE, logOdds, ...more },
  right,
  weight: 1,
});
/** Whose log-odds are those of the engine. */
const IDENTITY: GateModel = { bias: 0, weights: { ...NONE, logOdds: 1 } };
const odds = (chance: number): number => Math.log(chance / (1 - chance));

describe('the fit', () => {
  it('finds the model that the examples come from', () => {
    const truth: GateModel = { bias: -0.5, weights: { ...NONE, logOdds: 1.2, lines: -0.7 } };
    const random = seededRandom(1);
    const examples = Array.from({ length: 20_000 }, () => {
      const features = { ...NONE, logOdds: random.below(800) / 100 - 4, lines: random.below(3) };
      const right = random.below(1_000_000) / 1_000_000 < chanceOf(features, truth, 0);
      return { features, right, weight: 1 };
    });
    const { bias, weights } = fitGate(examples);
    expect(bias).toBeCloseTo(-0.5, 0.7);
    expect(Math.abs(weights.logOdds - 1.2)).toBeLessThan(0.1);
    expect(Math.abs(weights.lines + 0.7)).toBeLessThan(0.1);
    // What no example has gets no weight.
    expect(weights.inComment).toBe(0);
  });

  it('counts examples by their weight', () => {
    const light = (right: boolean, weight: number) => ({ ...example(0, right), weight });
    const { bias } = fitGate([light(true, 3), light(false, 1)]);
    expect(bias).toBeCloseTo(odds(0.75), 2);
  });
});

describe('the area under the curve', () => {
  it.each([
    ['1 where every right one has the better chance', [1, 2, 3, 4], [false, false, true, true], 1],
    ['0 where every wrong one has', [1, 2, 3, 4], [true, true, false, false], 0],
    ['a half where chances are equal', [1, 1, 1, 1], [true, false, true, false], 0.5],
    ['the share of pairs in the right order', [1, 2, 3, 4], [false, true, false, true], 0.75],
  ] as const)('is %s', (_name, marks, right, area) => {
    const examples = marks.map((mark, index) => example(mark, right[index] === true));
    expect(areaUnderCurve(examples, IDENTITY)).toBeCloseTo(area);
  });
});

describe('the calibration error', () => {
  const half = (count: number, chance: number) =>
    Array.from({ length: count }, (_, index) => example(odds(chance), index % 2 === 0));

  it('is nothing where as many are right as the chances say', () => {
    expect(calibrationError(half(100, 0.5), IDENTITY)).toBeCloseTo(0);
  });

  it('is how far the chances are from what is right', () => {
    expect(calibrationError(half(100, 0.8), IDENTITY)).toBeCloseTo(0.3);
  });

  it('does not let errors of different chances cancel out', () => {
    expect(calibrationError([...half(100, 0.8), ...half(100, 0.2)], IDENTITY)).toBeCloseTo(0.3);
  });

  it('is nothing without examples', () => {
    expect(calibrationError([], IDENTITY)).toBe(0);
  });
});
