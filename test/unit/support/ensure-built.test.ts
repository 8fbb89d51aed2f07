import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

/** A checkout with the real scripts and the fewest sources. */
const SOURCES = {
  'package-lock.json': '{}',
  [path.join('server', 'src', 'main.ts')]: 'export {};',
  'test/doctor/main.ts': "import { fact } from '../support/fact.js';\nconsole.log(fact);",
  'test/support/fact.ts': 'export const fact = 1;',
  'test/support/unused.ts': 'export {};',
  'test/workbench/driver.ts': 'export {};',
};

const folder = new TemporaryFolder();
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(folder.file(file)), { recursive: true });
  writeFileSync(folder.file(file), text);
};

function ensureBuilt(): { readonly status: number | null; readonly hasBuilt: boolean } {
  const args = ['test/support/ensure-built.mjs', 'bundles'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8' });
  return { status, hasBuilt: stderr.includes('bundles: building') };
}

/** Whether the bundles are made again after an editor has saved the file. */
function areMadeAfter(file: string): boolean {
  const setTime = (seconds: number) => utimesSync(folder.file(file), seconds, seconds);
  setTime(Date.now() / 1000 + 1);
  const { status, hasBuilt } = ensureBuilt();
  expect(status).toBe(0);
  // From here on it is older than any build.
  setTime(0);
  return hasBuilt;
}

describe('the bundles', () => {
  beforeAll(() => {
    for (const [file, text] of Object.entries(SOURCES)) write(file, text);
    for (const file of ['esbuild.mjs', 'server/grammars.mjs', 'test/support/ensure-built.mjs'])
      copyFileSync(path.join(REPOSITORY_ROOT, file), folder.file(file));
    symlinkSync(path.join(REPOSITORY_ROOT, 'node_modules'), folder.file('node_modules'), 'junction');
    expect(ensureBuilt()).toEqual({ status: 0, hasBuilt: true });
  });

  afterAll(() => folder.dispose());

  test('are made once', () => {
    expect(readFileSync(folder.file('dist/test/doctor.js'), 'utf8')).toContain('fact = 1');
    expect(ensureBuilt()).toEqual({ status: 0, hasBuilt: false });
  });

  test('are not made again for a file that none of them contains', () => {
    expect(areMadeAfter('test/support/unused.ts')).toBe(false);
  });

  test.each(['test/doctor/main.ts', 'test/support/fact.ts', 'esbuild.mjs'])(
    'are made again after a change of %s',
    (file) => {
      expect(areMadeAfter(file)).toBe(true);
    },
  );

  test('are made again for a new driver of the workbench', () => {
    write('test/workbench/second.ts', 'export {};');
    expect(areMadeAfter('test/workbench')).toBe(true);
  });
});
