import { expect, it } from 'vitest';
import { mayShowGhostText } from '../../../../extension/src/suggestions/ghost-text-setting.js';

const scope = (value: unknown, languageIds?: readonly string[]) => ({
  get: () => value,
  inspect: () => (languageIds === undefined ? undefined : { languageIds }),
});

it.each([
  ['it is on', [scope(true)], true],
  ['VS Code does not say', [scope(undefined)], true],
  ['it is off', [scope(false)], false],
  ['it is off in each folder', [scope(false), scope(false, [])], false],
  ['a folder turns it on', [scope(false), scope(true)], true],
  ['a language has a value of its own', [scope(false, ['python'])], true],
])('where %s', (_name, scopes, expected) => {
  expect(mayShowGhostText(scopes)).toBe(expected);
});
