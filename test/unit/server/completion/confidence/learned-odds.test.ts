import { describe, expect, it } from 'vitest';
import { LearnedConfidence } from '../../../../../server/src/completion/confidence/learned-confidence.js';
import {
  learnedOf,
  NO_MODELS,
  NOTHING_LEARNED,
  parseLearnedModels,
  shiftOf,
  withModelOutcome,
  withOutcome,
} from '../../../../../server/src/completion/confidence/learned-odds.js';
import { JsonFile } from '../../../../../server/src/util/files/json-file.js';
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

describe('the models', () => {
  const taught = (names: readonly string[]) =>
    names.reduce((all, name) => withModelOutcome(all, name, 0.5, true), NO_MODELS);

  it('learn apart', () => {
    const all = withModelOutcome(taught(['one', 'one']), 'other', 0.5, false);
    expect(learnedOf(all, 'one')).toMatchObject({ known: 2, right: 2 });
    expect(learnedOf(all, 'other')).toMatchObject({ known: 1, right: 0 });
    expect(learnedOf(all, 'third')).toBe(NOTHING_LEARNED);
  });

  it('are few: the one that taught longest ago goes first', () => {
    const names = Array.from({ length: 8 }, (_, index) => `model ${index}`);
    const all = taught([...names, 'model 0', 'model 8']);
    expect(all.models).toHaveLength(8);
    expect(learnedOf(all, 'model 0').known).toBe(2);
    expect(learnedOf(all, 'model 1').known).toBe(0);
  });

  it('have names of any length, of which little is kept', () => {
    const name = 'long '.repeat(100_000);
    expect(learnedOf(taught([name]), name).known).toBe(1);
    expect(JSON.stringify(taught([name])).length).toBeLessThan(1_000);
  });
});

describe('the file', () => {
  const LEARNED = { known: 1, right: 1, expected: 0.5, variance: 0.2 };
  const file = (learned: unknown) => ({ version: 3, models: [{ name: 'A model', learned }] });

  it('is read as it was written', () => {
    const learned = withModelOutcome(withModelOutcome(NO_MODELS, 'one', 0.3, true), 'other', 0.5, false);
    expect(parseLearnedModels(JSON.parse(JSON.stringify(learned)))).toEqual(learned);
    expect(parseLearnedModels(file(LEARNED))).toEqual(file(LEARNED));
  });

  it.each([
    null,
    [],
    'text',
    { version: 1, bins: [{ shown: 3, accepted: 1 }] },
    // Learned for all models at once.
    { version: 2, ...LEARNED },
    { version: 3 },
    { version: 3, models: [null] },
    { version: 3, models: [{ name: 1, learned: LEARNED }] },
    file(null),
    file({ ...LEARNED, right: 2 }),
    file({ ...LEARNED, expected: -1 }),
    file({ ...LEARNED, known: null }),
  ])('counts for nothing if it holds %j', (value) => {
    expect(parseLearnedModels(value)).toBeNull();
  });
});

it('learns about the chance without what it learned before, so that it comes to rest', () => {
  const confidence = new LearnedConfidence(new JsonFile(null, SILENT));
  const odds = (shift: number) => 1 / (1 + Math.exp(-shift));
  // Half of what the model finds even is right: shown with the shift, the chance is another one.
  for (let round = 0; round < 400; round += 1) {
    confidence.learn('A model', odds(confidence.shiftOf('A model')), round % 2 === 0);
  }
  expect(Math.abs(confidence.shiftOf('A model'))).toBeLessThan(0.1);
});
