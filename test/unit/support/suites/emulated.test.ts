import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../../support/source-tree.js';

test.each([
  ['no system', [], 'name one of aarch64, windows'],
  ['an unknown system', ['riscv64'], 'name one of aarch64, windows'],
  ['an unknown processor', ['windows', '--only', 'avx3'], 'no run is called avx3; there are avx2, avx512'],
  ['a name without its option', ['windows', 'avx2'], 'unknown: avx2'],
])('%s ends the emulated tests before anything runs', (_, args, reason) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/emulated.mjs', ...args], {
    cwd: REPOSITORY_ROOT,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(reason) });
});
