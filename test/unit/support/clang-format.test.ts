import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

/** Linux on a processor for which the package has no program. */
const OTHER_MACHINE = `
  Object.defineProperty(process, 'platform', { value: 'linux' });
  Object.defineProperty(process, 'arch', { value: 'arm64' });
`;

test.each([[[]], [['--write']]])('a machine without clang-format skips it, and says so (%j)', (args) => {
  const preload = `data:text/javascript,${encodeURIComponent(OTHER_MACHINE)}`;
  const command = ['--import', preload, 'test/support/clang-format.mjs', ...args];
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: REPOSITORY_ROOT, encoding: 'utf8' });
  expect(stderr).toContain('clang-format: SKIPPED: its npm package has no program that runs on arm64 linux');
  // As for clang-tidy: test/run.mjs counts a skipped check.
  expect(status).toBe(77);
});
