import { describe, expect, it } from 'vitest';
import { LearnedConfidence } from '../../../../../server/src/completion/confidence/learned-confidence.js';
import {
  NOTHING_LEARNED,
  parseLearnedOdds,
  shiftOf,
  withOutcome,
} from '../../../../../server/src/completion/confidence/learned-odds.js';
import { JsonFile } from '../../../../../server/src/util/json-file.js';
import { SILENT } from '../../scripted-engine.js';

function learnedFrom(outcomes: readonly boolean[], chance = 0.5) {
  return outcomes.reduce((learned, right) => withOutcome(learned, chance, right), NOTHING_LEARNED);
}

const times = (count: number, right: boolean) => Array.from({ length: count }, () => right);

describe('the shift of the odds', () => {
  it('is nothing at first, and stays near it while outcomes are as expected', () => {
    expect(shiftOf(NOTHING_LEARNED)).toBe(0);
    expect(shiftOf(learnedFrom([...times(50, true), ...times(50, false)]))).toBe(0);
  });

  it('follows the outcomes, and never by more than one', () => {
    expect(shiftOf(learnedFrom(times(10, true)))).toBeGreaterThan(0);
    expect(shiftOf(learnedFrom(times(10, false)))).toBeLessThan(0);
    expect(shiftOf(learnedFrom(times(10_000, true)))).toBe(1);
    expect(shiftOf(learnedFrom(times(10_000, false)))).toBe(-1);
  });

  it('forgets old outcomes', () => {
    expect(shiftOf(learnedFrom([...times(5_000, true), ...times(5_000, false)]))).toBeLessThan(0);
  });

  it.each([Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY])('refuses the chance %d', (chance) => {
    expect(() => withOutcome(NOTHING_LEARNED, chance, true)).toThrow(RangeError);
  });
});

describe('the file', () => {
  it('is read as it was written', () => {
    const learned = learnedFrom(times(7, true));
    expect(parseLearnedOdds(JSON.parse(JSON.stringify(learned)))).toEqual(learned);
  });

  it.each([
    null,
    [],
    'text',
    { version: 1, bins: [{ shown: 3, accepted: 1 }] },
    { version: 2 },
    { version: 2, known: 1, right: 2, expected: 0.5, variance: 0.2 },
    { version: 2, known: 1, right: 1, expected: -1, variance: 0.2 },
    { version: 2, known: null, right: 1, expected: 1, variance: 0.2 },
  ])('counts for nothing if it holds %j', (value) => {
    expect(parseLearnedOdds(value)).toBeNull();
  });
});

it('learns about the chance without what it learned before, so that it comes to rest', () => {
  const confidence = new LearnedConfidence(new JsonFile(null, SILENT));
  const odds = (shift: number) => 1 / (1 + Math.exp(-shift));
  // Half of what the model finds even is right: shown with the shift, the chance is another one.
  for (let round = 0; round < 400; round += 1) confidence.learn(odds(confidence.shift), round % 2 === 0);
  expect(Math.abs(confidence.shift)).toBeLessThan(0.1);
});
