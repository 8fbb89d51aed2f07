import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import {
  isStillChosen,
  readRecord,
  removeRecord,
  writeRecord,
} from '../../../../extension/src/download/download-record.js';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

/** Only a read that waits without end needs it. */
const PATIENCE_MS = 3_000;

function recordOf(name: string): string {
  const file = { url: 'https://example.com/a.gguf', name, bytes: 1, sha256: null, validator: null };
  const record = { version: 1, label: 'a', repository: null, state: 'paused', modelPathBefore: '', files: [file] };
  return JSON.stringify(record);
}

it.each([
  ['chat', 'chat'],
  ['suggestions', 'suggestions'],
  ['anything', 'suggestions'],
  // As earlier versions left it.
  [undefined, 'suggestions'],
])('remembers what the user wants a model for: %s', async (use, read) => {
  const file = { url: 'https://example.com/a.gguf', name: 'a.gguf', bytes: 1, sha256: null, validator: null };
  const record = { version: 1, label: 'a', repository: null, state: 'paused', modelPathBefore: '', files: [file], use };
  writeFileSync(folder.file('a.gguf.download.json'), JSON.stringify(record));
  expect(await readRecord(folder.file('a.gguf'))).toMatchObject({ label: 'a', use: read });
});

it.each([
  ['the model is the same', '', '', true],
  ['another window has downloaded and chosen it', '/models/a.gguf', '', true],
  ['another model was chosen', '/models/other.gguf', '', false],
  ['a remote server was chosen', '', 'http://gpu-box:8080', false],
])('a finished download is used at once, or asked for, where %s', (_name, modelPath, remoteUrl, isUsed) => {
  const download = { modelPath: '/models/a.gguf', record: { modelPathBefore: '' } };
  expect(isStillChosen(download, modelPath, remoteUrl)).toBe(isUsed);
});

it.each(['..', '.', '../b.gguf', ''])('takes no record whose file %j would lie elsewhere', async (name) => {
  writeFileSync(folder.file('b.gguf.download.json'), recordOf('b.gguf'));
  expect(await readRecord(folder.file('b.gguf'))).not.toBeNull();
  writeFileSync(folder.file('b.gguf.download.json'), recordOf(name));
  expect(await readRecord(folder.file('b.gguf'))).toBeNull();
});

it('holds no record in memory that is too large to be one', async () => {
  const record = folder.file('c.gguf.download.json');
  writeFileSync(record, recordOf('c.gguf').padEnd(2 ** 24 + 1));
  expect(await readRecord(folder.file('c.gguf'))).toBeNull();
  truncateSync(record, 2 ** 24);
  expect(await readRecord(folder.file('c.gguf'))).not.toBeNull();
});

it('reads the longest record that it writes: of 500 parts with the longest addresses', async () => {
  const url = `https://example.com/${encodeURIComponent('模'.repeat(1_000))}`;
  const file = { url, name: 'e'.repeat(200), bytes: 2 ** 40, sha256: '0'.repeat(64), validator: 'v'.repeat(16_000) };
  const files = Array.from({ length: 500 }, () => file);
  const record = { version: 1, label: 'e', repository: null, state: 'paused', modelPathBefore: '', files } as const;
  await writeRecord(folder.file('e.gguf'), { ...record, use: 'chat' });
  expect((await readRecord(folder.file('e.gguf')))?.files).toHaveLength(500);
});

it.skipIf(process.platform === 'win32')('does not wait for a pipe in the place of a record', async () => {
  const pipe = folder.file('d.gguf.download.json');
  execFileSync('mkfifo', [pipe]);
  try {
    const patience = delay(PATIENCE_MS, 'it waits', { ref: false });
    expect(await Promise.race([readRecord(folder.file('d.gguf')), patience])).toBeNull();
  } finally {
    // Whoever waits gets an end, so that no thread of this process is lost.
    closeSync(openSync(pipe, 'r+'));
  }
});

it('is removed with the draft of a window that was killed while it wrote one', async () => {
  for (const name of ['e.gguf.download.json', 'e.gguf.download.json.tmp']) writeFileSync(folder.file(name), '{');
  await removeRecord(folder.file('e.gguf'));
  expect(readdirSync(folder.path).filter((name) => name.startsWith('e.'))).toEqual([]);
});

it('keeps no folder of a removed model for what a killed window left there', async () => {
  const store = new TemporaryFolder();
  const nothing = async () => null;
  const downloads = new Downloads({ store: store.path, repositoryUrl: () => '', token: nothing, inspect: nothing });
  const files = ['f.gguf', 'f.gguf.lock.0c2f3a52-6f6b-4b3a-8a59-1d2e3f405162.tmp'].map((name) => `a--b/${name}`);
  mkdirSync(store.file('a--b'));
  for (const name of files) {
    writeFileSync(store.file(name), '');
    utimesSync(store.file(name), 1, 1);
  }
  await downloads.remove([store.file('a--b/f.gguf')]);
  expect(readdirSync(store.path)).toEqual([]);
  store.dispose();
});
