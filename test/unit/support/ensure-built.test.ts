import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { product } from '../../../extension/notices.mjs';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

/** What the extension is made of, without what comes from a package. */
const PRODUCT = product.flatMap(({ entryPoints }) => entryPoints).filter((file) => !file.startsWith('node_modules/'));

/** A checkout with the real scripts and the fewest sources. */
const SOURCES = {
  'package.json': '{"engines":{"node":">=20.20.0"},"allowScripts":{}}',
  'package-lock.json': '{}',
  'test/doctor/main.ts': "import { fact } from '../support/fact.js';\nconsole.log(fact);",
  'test/support/fact.ts': 'export const fact = 1;',
  'test/support/unused.ts': 'export {};',
  ...Object.fromEntries(
    [
      ...PRODUCT,
      'test/bench/main.ts',
      'test/session/main.ts',
      'test/soak/main.ts',
      'test/workbench/driver.ts',
      'test/workbench/suite/index.ts',
    ].map((file) => [file, 'export {};']),
  ),
};

const SCRIPTS = [
  'esbuild.mjs',
  'server/grammars.mjs',
  'test/support/build-lock.mjs',
  'test/support/ensure-built.mjs',
  'test/support/is-main.mjs',
  'test/support/require-node.mjs',
];

const folder = new TemporaryFolder();
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(folder.file(file)), { recursive: true });
  writeFileSync(folder.file(file), text);
};

function run(step: string, options: SpawnSyncOptions = {}) {
  const args = ['test/support/ensure-built.mjs', step];
  const { status, stderr } = spawnSync(process.execPath, args, { ...options, cwd: folder.path, encoding: 'utf8' });
  return { status, said: String(stderr) };
}

function ensureBuilt(): { readonly status: number | null; readonly hasBuilt: boolean } {
  const { status, said } = run('bundles');
  return { status, hasBuilt: said.includes('bundles: building') };
}

function bundle(...args: string[]) {
  return spawnSync(process.execPath, ['esbuild.mjs', ...args], { cwd: folder.path, encoding: 'utf8' });
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

beforeAll(() => {
  for (const [file, text] of Object.entries(SOURCES)) write(file, text);
  for (const file of SCRIPTS) copyFileSync(path.join(REPOSITORY_ROOT, file), folder.file(file));
});
afterAll(() => folder.dispose());

describe('a machine on which nothing can be built', () => {
  test.skipIf(process.platform === 'win32')('is told what it lacks', () => {
    const { status, said } = run('native addon', { env: { PATH: folder.path } });
    expect(status).toBe(1);
    expect(said).toContain('this machine lacks cmake, git, a C++20 compiler, make or ninja.');
    expect(said).toContain('apt-get install');
  });

  // macOS has such programs in place of the developer tools, until these are installed.
  test.skipIf(process.platform === 'win32')('is told of programs that are there and do not run', () => {
    for (const name of ['cmake', 'git', 'make']) {
      write(`bin/${name}`, '#!/bin/sh\nexit 1\n');
      chmodSync(folder.file(`bin/${name}`), 0o755);
    }
    const { status, said } = run('native addon', { env: { PATH: folder.file('bin') } });
    expect(status).toBe(1);
    expect(said).toContain('this machine lacks cmake, git, a C++20 compiler, make or ninja.');
  });

  test('is told of a step that there is not', () => {
    const { status, said } = run('bundels');
    expect(status).toBe(1);
    expect(said).toContain('there is no step bundels; the steps are npm packages, native addon, bundles, llama-server');
  });

  test('is told which Node it needs, before anything else fails', () => {
    write('package.json', '{"engines":{"node":">=99.1.0"}}');
    expect(run('bundles')).toEqual({
      status: 1,
      said: `inkling: this is Node ${process.versions.node} (${process.execPath}); Inkling needs 99.1.0 or newer\n`,
    });
    write('package.json', SOURCES['package.json']);
  });

  test.skipIf(process.getuid?.() !== 0)("is told where another user's checkout cannot be written (needs root)", () => {
    chmodSync(folder.path, 0o755);
    const { status, said } = run('bundles', { uid: 65_534, gid: 65_534 });
    expect(status).toBe(1);
    expect(said).toContain(`this user cannot write to ${folder.path}`);
  });
});

describe('the bundles', () => {
  beforeAll(() => {
    symlinkSync(path.join(REPOSITORY_ROOT, 'node_modules'), folder.file('node_modules'), 'junction');
    expect(ensureBuilt()).toEqual({ status: 0, hasBuilt: true });
  });

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

  test.each([
    ['--minfy', 'unknown: --minfy'],
    ['--watch=no', 'unknown: --watch=no'],
  ])('are not made with an unknown option', (option, reason) => {
    const { status, stderr } = bundle(option);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(reason) });
  });

  test('are not made where a source of the product is missing', () => {
    const [file = ''] = PRODUCT;
    rmSync(folder.file(file));
    const { status, stderr } = bundle();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(file) });
    write(file, 'export {};');
  });

  describe('while another process builds', () => {
    const LOCK = '.cache/building';
    afterEach(() => rmSync(folder.file(LOCK), { force: true }));

    test('wait for it, once something is to be made', async () => {
      expect(ensureBuilt().status).toBe(0);
      write(LOCK, String(process.pid));
      expect(ensureBuilt()).toEqual({ status: 0, hasBuilt: false });
      rmSync(folder.file('dist/bundles.stamp'));
      const waiting = spawn(process.execPath, ['test/support/ensure-built.mjs', 'bundles'], { cwd: folder.path });
      let said = '';
      waiting.stderr.on('data', (chunk) => {
        said += String(chunk);
      });
      const ended = new Promise((resolve) => waiting.on('close', resolve));
      await vi.waitUntil(() => said.includes('inkling: waits'), { timeout: 50_000 });
      expect(said).toContain(`for the build of process ${process.pid} (`);
      rmSync(folder.file(LOCK));
      expect(await ended).toBe(0);
      expect(said).toContain('bundles: done');
      expect(existsSync(folder.file(LOCK))).toBe(false);
    });

    // A process id beyond those of any system.
    test.each(['999999999', '-1', 'no number'])('do not wait for one that was killed (%j)', (left) => {
      write(LOCK, left);
      rmSync(folder.file('dist/bundles.stamp'));
      expect(ensureBuilt()).toEqual({ status: 0, hasBuilt: true });
    });

    test('do not wait for a process that has the id of a build of hours ago', () => {
      write(LOCK, String(process.pid));
      utimesSync(folder.file(LOCK), Date.now() / 1000 - 10_000, Date.now() / 1000 - 10_000);
      rmSync(folder.file('dist/bundles.stamp'));
      expect(ensureBuilt()).toEqual({ status: 0, hasBuilt: true });
    });
  });

  test('are made again for a new driver of the workbench', () => {
    write('test/workbench/second.ts', 'export {};');
    expect(areMadeAfter('test/workbench')).toBe(true);
  });
});
