import { describe, expect, it } from 'vitest';
import {
  type ConfidenceCalibration,
  meanLogProbability,
  NOTHING_LEARNED,
  parseCalibration,
  thresholdOf,
  withOutcome,
} from '../../../../../server/src/completion/confidence/confidence-calibration.js';

function learned(mean: number, accepted: number, rejected: number, from = NOTHING_LEARNED): ConfidenceCalibration {
  let calibration = from;
  for (let index = 0; index < accepted; index++) calibration = withOutcome(calibration, mean, true);
  for (let index = 0; index < rejected; index++) calibration = withOutcome(calibration, mean, false);
  return calibration;
}

describe('the threshold', () => {
  it('has a sensible start value', () => {
    expect(thresholdOf(NOTHING_LEARNED)).toBe(-1.9);
  });

  it('rises with rejected suggestions, and falls with accepted ones', () => {
    expect(thresholdOf(learned(-1.7, 0, 100))).toBeGreaterThan(-1.9);
    expect(thresholdOf(learned(-2.1, 60, 40))).toBeLessThan(-1.9);
  });

  it('never hides everything, and never shows everything', () => {
    let calibration = NOTHING_LEARNED;
    for (const mean of [-4, -2, -1, -0.5, -0.2, -0.01]) calibration = learned(mean, 0, 300, calibration);
    expect(thresholdOf(calibration)).toBe(-0.65);
    calibration = NOTHING_LEARNED;
    for (const mean of [-4, -2.7, -2, -1]) calibration = learned(mean, 300, 0, calibration);
    expect(thresholdOf(calibration)).toBe(-3);
  });

  it('ignores a few odd outcomes', () => {
    expect(thresholdOf(learned(-0.4, 0, 5))).toBe(-1.9);
    expect(thresholdOf(learned(-4, 2, 0))).toBe(-1.9);
  });

  it('forgets old habits', () => {
    const rejected = learned(-1.7, 0, 3000);
    expect(thresholdOf(rejected)).toBeGreaterThan(-1.9);
    expect(thresholdOf(learned(-1.7, 3000, 0, rejected))).toBe(-1.9);
  });
});

describe('as JSON', () => {
  it('survives a round trip', () => {
    const calibration = learned(-1, 3, 4);
    expect(parseCalibration(JSON.parse(JSON.stringify(calibration)))).toEqual(calibration);
  });

  it.each([
    null,
    7,
    {},
    { version: 2, bins: NOTHING_LEARNED.bins },
    { version: 1, bins: [] },
    { version: 1, bins: NOTHING_LEARNED.bins.map(() => ({ shown: 1, accepted: 2 })) },
    { version: 1, bins: NOTHING_LEARNED.bins.map(() => ({ shown: 'many', accepted: 0 })) },
    { version: 1, bins: NOTHING_LEARNED.bins.map(() => null) },
  ])('is refused as %j', (value) => {
    expect(parseCalibration(value)).toBeNull();
  });
});

it('refuses a mean that is not a number', () => {
  expect(() => withOutcome(NOTHING_LEARNED, Number.NaN, true)).toThrow(/mean must be a finite number, not NaN/);
});

it('takes the mean over the tokens that are shown', () => {
  const generated = { logProbabilities: [-1, -3], healedTokens: 0, generatedLength: 10 };
  expect(meanLogProbability(generated, 10)).toBe(-2);
  expect(meanLogProbability(generated, 5)).toBe(-1);
  expect(meanLogProbability({ ...generated, logProbabilities: [] }, 5)).toBeNull();
});

it('lets no single token hide the rest', () => {
  const generated = { logProbabilities: [-12, -1, -1], healedTokens: 0, generatedLength: 10 };
  expect(meanLogProbability(generated, 10)).toBe(-2);
});

it('leaves out healed tokens', () => {
  const generated = { logProbabilities: [-9, -1, -3], healedTokens: 1, generatedLength: 10 };
  expect(meanLogProbability(generated, 10)).toBe(-2);
  expect(meanLogProbability({ ...generated, logProbabilities: [-9] }, 10)).toBeNull();
});
