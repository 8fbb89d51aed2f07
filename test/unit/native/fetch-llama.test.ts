import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

test.skipIf(process.platform === 'win32')('a fetch that Ctrl+C ends leaves nothing behind', async () => {
  mkdirSync(folder.file('bin'));
  writeFileSync(folder.file('bin/npm'), '#!/bin/sh\necho fetching >&2\nexec sleep 60\n');
  chmodSync(folder.file('bin/npm'), 0o755);
  const fetching = spawn(process.execPath, [path.join(REPOSITORY_ROOT, 'native/fetch-llama.mjs')], {
    env: { PATH: `${folder.file('bin')}:/usr/bin:/bin`, INKLING_CACHE_DIR: folder.file('cache') },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, as a terminal gives it.
    detached: true,
  });
  let said = '';
  fetching.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  const ended = new Promise((resolve) => fetching.on('close', resolve));
  await vi.waitUntil(() => said.endsWith('fetching\n'), { timeout: 50_000 });
  expect(readdirSync(folder.file('cache'))).toHaveLength(1);
  process.kill(-(fetching.pid ?? 0), 'SIGINT');
  expect(await ended).toBe(1);
  expect(readdirSync(folder.file('cache'))).toEqual([]);
});
