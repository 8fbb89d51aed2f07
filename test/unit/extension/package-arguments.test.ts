import { describe, expect, test } from 'vitest';
import { packageArguments } from '../../../extension/package-arguments.mjs';
import { HOST } from '../../../native/targets.mjs';

describe('npm run package', () => {
  test.each([
    [[], { target: HOST, newestGlibc: '2.36', file: null }],
    [['--target', 'win32-x64'], { target: 'win32-x64', newestGlibc: '2.36', file: null }],
    [['--max-glibc', '2.35', 'out/own.vsix'], { target: HOST, newestGlibc: '2.35', file: 'out/own.vsix' }],
  ])('takes %j', (args, expected) => {
    expect(packageArguments(args)).toEqual(expected);
  });

  test.each([
    ['a target that there is not', ['--target', 'plan9-x64'], 'there is no target plan9-x64'],
    // Any module would pass: no version is newer.
    ['a glibc that is no version', ['--max-glibc', '2,35'], '--max-glibc takes a version such as 2.36, not 2,35'],
    ['a glibc without its second number', ['--max-glibc', '2'], '--max-glibc takes a version'],
    // `npm run package --target win32-x64` without `--`: npm takes the option and leaves its value.
    ['a file that is no package', ['win32-x64'], 'win32-x64 does not end with .vsix; options come after `--`'],
    ['two files', ['a.vsix', 'b.vsix'], 'one FILE at a time'],
    ['an unknown option', ['--tarquet', 'win32-x64'], '--tarquet'],
  ])('refuses %s', (_, args, reason) => {
    expect(() => packageArguments(args)).toThrow(reason);
  });
});
