import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

/** What it looks for, so that it installs nothing. */
const COMMANDS = [
  'chromium',
  'cmake',
  'g++',
  'make',
  'ninja',
  'git',
  'python3',
  'ccache',
  'clang-tidy',
  'glslc',
  'clang++-14',
  'node',
];

/** GNU's timeout, the parent, leaves behind what it starts when a signal comes before it waits. */
const WAIT = "until grep -q '^State:.S' /proc/$PPID/status; do sleep 0.1; done";

let folder: TemporaryFolder;
let running: ChildProcess | null = null;
beforeEach(() => {
  folder = new TemporaryFolder();
  mkdirSync(folder.file('.ci'));
  mkdirSync(folder.file('bin'));
  copyFileSync(path.join(REPOSITORY_ROOT, '.ci/run'), folder.file('.ci/run'));
  for (const name of COMMANDS) program(name, '');
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = null;
  folder.dispose();
});

function program(name: string, text: string): void {
  writeFileSync(folder.file(`bin/${name}`), `#!/bin/sh\n${text}\n`);
  chmodSync(folder.file(`bin/${name}`), 0o755);
}

function start() {
  const child = spawn('bash', [folder.file('.ci/run')], {
    env: { PATH: `${folder.file('bin')}:/usr/bin:/bin`, HOME: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running = child;
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, ended, shown: () => text };
}

describe.runIf(process.platform === 'linux')('what CI runs', () => {
  test.each([0, 1])('ends with the exit code of the tests (%i)', async (exitCode) => {
    program('npm', `echo "$@"; exit ${exitCode}`);
    const { ended, shown } = start();
    expect(await ended).toBe(exitCode);
    expect(shown()).toBe('--silent test -- --all\n');
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with the tests after %s', async (signal) => {
    program('npm', `trap 'echo ended; exit 3' TERM; ${WAIT}; echo started; while [ -d "$HOME" ]; do sleep 0.1; done`);
    const { child, ended, shown } = start();
    await vi.waitUntil(() => shown().includes('started'), { timeout: 50_000 });
    child.kill(signal);
    expect(await ended).toBeGreaterThan(0);
    expect(shown()).toBe('started\nended\n');
  });
});
