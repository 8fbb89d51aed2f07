import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, parseSettings, SETTING_RANGES } from '../../../../server/protocol/index.js';
import { damaged } from '../../../support/faults/hostile-json.js';
import { property } from '../../../support/faults/property.js';

const GIVEN = { ...DEFAULT_SETTINGS, languages: { markdown: false, '*': true }, contextExclude: ['**/*.csv'] };

/** JavaScript writes a value only so deep, and nobody reads so many problems. */
it.each([
  ['nests deeply', { threads: JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown }],
  [
    'has many languages',
    { languages: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [index, index])) },
  ],
  ['has long names', { languages: { ['x'.repeat(100_000)]: 1 }, modelPath: 5, threads: 'y'.repeat(100_000) }],
])('names the problems of an object that %s', (_name, value) => {
  const { problems } = parseSettings(value);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThanOrEqual(20);
  expect(problems.every((each) => each.length < 300)).toBe(true);
});

describe('whatever a client sends as settings', () => {
  property(
    'each setting has a value of its type and range, and each problem is one short sentence',
    fc.oneof(damaged(GIVEN, 5), fc.jsonValue()),
    (value) => {
      const { settings, problems } = parseSettings(value);
      for (const [name, standard] of Object.entries(DEFAULT_SETTINGS)) {
        const read: unknown = settings[name as keyof typeof settings];
        expect(typeof read, name).toBe(typeof standard);
        expect(Array.isArray(read), name).toBe(Array.isArray(standard));
      }
      for (const [name, { minimum, maximum }] of Object.entries(SETTING_RANGES)) {
        const read = settings[name as keyof typeof SETTING_RANGES];
        expect(read >= minimum && read <= maximum, name).toBe(true);
      }
      expect(Object.values(settings.languages).every((each) => typeof each === 'boolean')).toBe(true);
      expect(settings.contextExclude.every((each) => typeof each === 'string')).toBe(true);
      expect(problems.length).toBeLessThanOrEqual(20);
      expect(problems.every((each) => each.length < 300)).toBe(true);
    },
    { runs: 80 },
  );

  property(
    'what is read is read again as it is',
    damaged(GIVEN, 5),
    (value) => {
      const { settings } = parseSettings(value);
      expect(parseSettings(settings)).toEqual({ settings, problems: [] });
    },
    { runs: 80 },
  );
});
