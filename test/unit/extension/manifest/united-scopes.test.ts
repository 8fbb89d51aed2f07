import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../extension/src/manifest/settings.js';
import { hiddenGlobs, unitedList } from '../../../../extension/src/manifest/united-scopes.js';

describe('the lists of all scopes', () => {
  it.each([
    [undefined, []],
    [{}, []],
    [{ defaultValue: [], globalValue: ['a', 'b'] }, ['a', 'b']],
    [{ globalValue: ['a'], workspaceValue: [] }, ['a']],
    [{ globalValue: ['a'], workspaceValue: ['b'], workspaceFolderValue: ['c', 'a'] }, ['a', 'b', 'c']],
    [{ globalValue: ['a'], workspaceValue: 'b' }, ['a', 'b']],
    [{ globalValue: ['a'], workspaceValue: null, workspaceFolderValue: { c: true } }, ['a', { c: true }]],
  ])('of %j are %j', (scopes, united) => {
    expect(unitedList(scopes)).toEqual(united);
  });

  it('reach the server, whatever the workspace writes', () => {
    for (const workspaceValue of [[], 'nothing', null, false, [3]]) {
      const configuration = { get: () => workspaceValue, inspect: () => ({ globalValue: ['keys'], workspaceValue }) };
      expect(readSettings(configuration).contextExclude).toContain('keys');
    }
  });
});

describe('hidden files', () => {
  it.each([
    [[undefined], []],
    [[{ defaultValue: { a: true, b: false } }], ['a']],
    [[{ defaultValue: { a: true }, globalValue: { a: false, b: true } }], ['b']],
    [[{ globalValue: { a: true }, workspaceValue: { a: false, b: true } }], ['a', 'b']],
    [[{ globalValue: { a: true }, workspaceValue: 'all' }], ['a']],
    [[{ globalValue: { '**/*.js': { when: '$(basename).ts' } } }], []],
    [
      [{ globalValue: { a: true } }, { globalValue: { a: true }, workspaceFolderValue: { a: false, c: true } }],
      ['a', 'c'],
    ],
  ])('of %j are %j', (scopes, globs) => {
    expect(hiddenGlobs(scopes)).toEqual(globs);
  });
});
