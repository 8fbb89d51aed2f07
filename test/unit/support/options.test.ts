import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

/** No folder can be made there. */
const NOWHERE = path.join(process.execPath, 'nowhere');

// A misspelt one would do something else than what was meant, and take minutes for it.
test.each([
  ['test/support/clang-format.mjs', '--wirte'],
  ['test/bench/peer/build-peer.mjs', '--vulcan'],
  ['test/workbench/install.mjs', '--odlest'],
  ['test/workbench/run.mjs', '--odlest'],
  ['test/fuzz.mjs', '--minute'],
  ['test/run.mjs', '--al'],
  ['native/build.mjs', '--traget'],
])('%s takes no option %s', (script, option) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, option], {
    cwd: REPOSITORY_ROOT,
    encoding: 'utf8',
    timeout: 20_000,
    // Were it to begin, it would find no program and could write nothing.
    env: { ...process.env, PATH: NOWHERE, INKLING_CACHE_DIR: NOWHERE, INKLING_WORKBENCH_CACHE: NOWHERE },
  });
  expect([1, 2]).toContain(status);
  expect(`${stdout}${stderr}`).toMatch(/[Uu]nknown|usage/);
});
