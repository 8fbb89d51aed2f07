import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { compilePathPattern, matchesPath } from '../../../../../server/src/context/admission/path-pattern.js';
import { property } from '../../../../support/faults/property.js';
import { StepCounter } from '../../../../support/steps/count-steps.js';

let counter: StepCounter;

beforeAll(async () => {
  counter = await StepCounter.start();
  vi.resetModules();
});

afterAll(() => counter.stop());

property(
  'a set matches the characters of its ranges, whatever their order',
  fc.record({
    ranges: fc.array(fc.tuple(fc.constantFrom(...'acegikm'), fc.constantFrom(...'bdfhjln')), {
      minLength: 1,
      maxLength: 8,
    }),
    negated: fc.boolean(),
  }),
  ({ ranges, negated }) => {
    const set = `[${negated ? '!' : ''}${ranges.map((ends) => ends.join('-')).join('')}]`;
    for (const name of 'abcdefghijklmno') {
      const isIn = ranges.some(([first, last]) => first <= name && name <= last);
      expect(matchesPath(compilePathPattern(set), [name]), `${set} ${name}`).toBe(isIn !== negated);
    }
  },
);

/** More than a computer takes in some tens of milliseconds. */
const MOST_STEPS = 30_000_000;

/** Four folders with the longest names that file systems have, and a file. */
const LONG_PATH = [...Array.from({ length: 4 }, () => 'a'.repeat(200)), 'a.ts'];

/** As many as there may be together. */
const manyOf = (pattern: string): readonly string[] => Array.from({ length: 60_000 / pattern.length }, () => pattern);
/** Each of its characters is a range of its own. */
const SET = Array.from({ length: 480 }, (_, at) => String.fromCharCode(0x4e00 + 2 * at)).join('');

it.each([
  ['sets of many characters', `*[${SET}]`],
  ['a set after each start', `*a[!${SET}]`],
  ['names that nearly match', `*${'a'.repeat(100)}b`],
])('a decision takes few steps whatever the rules are: %s', async (_name, pattern) => {
  const { excludedByGlobs } = await import('../../../../../server/src/context/admission/excluded-globs.js');
  const { parseIgnoreRules } = await import('../../../../../server/src/context/admission/ignore-rules.js');
  const { RuledFolder } = await import('../../../../../server/src/context/admission/ruled-folder.js');
  const patterns = manyOf(pattern);
  const folder = new RuledFolder(null, [parseIgnoreRules(patterns.join('\n'))]);
  expect(folder.excess).toBeNull();
  const { excludes, problems } = excludedByGlobs(patterns);
  expect(problems).toEqual([]);
  await counter.forget();
  expect(await counter.count(() => folder.ignores(LONG_PATH, false), MOST_STEPS)).toBeLessThan(MOST_STEPS);
  expect(await counter.count(() => excludes(LONG_PATH.join('/')), MOST_STEPS)).toBeLessThan(MOST_STEPS);
});
