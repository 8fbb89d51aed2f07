import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import type { ModelDownload } from '../../../../extension/src/download/model-download.js';
import { selectModel } from '../../../../extension/src/download/repository.js';
import { ModelServer } from '../../../support/hosts/model-server.js';
import { BundledProgram, type RunningProgram } from '../../../support/servers/bundled-program.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

const FILE = 'model-Q8_0.gguf';
const FILE_PATH = `/owner/repo/resolve/main/${FILE}`;
const REFERENCE = { kind: 'repository', repository: 'owner/repo', revision: 'main', file: null } as const;

let bundles: TemporaryFolder;
let downloader: BundledProgram;
let folder: TemporaryFolder;
let server: ModelServer;
let content: Buffer;
const windows: RunningProgram[] = [];

beforeAll(async () => {
  bundles = new TemporaryFolder();
  downloader = await BundledProgram.build('test/support/programs/downloader.ts', bundles.path);
});
afterAll(() => bundles.dispose());
beforeEach(async () => {
  folder = new TemporaryFolder();
  server = await ModelServer.start();
  content = randomBytes(300_000);
  server.addRepository('owner/repo', { [FILE]: content });
});
afterEach(async () => {
  for (const each of windows.splice(0)) await each.kill();
  await server.stop();
  folder.dispose();
});

/** Another window, in a process of its own. */
function openWindow(): RunningProgram {
  const window = downloader.start(folder.path, server.url);
  windows.push(window);
  return window;
}

/** Another window, in this process. */
function openDownloads(): Downloads {
  return new Downloads({
    store: folder.path,
    repositoryUrl: () => server.url,
    token: async () => null,
    inspect: async () => null,
    stallMs: 60_000,
    retryDelaysMs: [1, 1],
    reservedBytes: 0,
  });
}

async function ownDownload(downloads = openDownloads()): Promise<ModelDownload> {
  const model = selectModel((await downloads.modelsOf(REFERENCE, new AbortController().signal)) ?? [], 'Q8_0');
  if (model === null) throw new Error('there is no such model');
  return downloads.prepare(downloads.planForModel(REFERENCE, model, 'Model'), '');
}

function stored(): string[] {
  return readdirSync(path.join(folder.path, 'owner--repo')).sort();
}

it('gives one of two windows that start at once the download, and the other none of its files', async () => {
  const ends = [openWindow().end(), openWindow().end()];
  server.trouble(FILE_PATH, { kind: 'held', after: 100_000, until: Promise.race(ends) });
  const outcomes = await Promise.all(ends);
  expect(outcomes.map((lines) => lines.at(-1)).sort()).toEqual(['busyElsewhere', 'done']);
  expect(server.requestsFor(FILE_PATH)).toHaveLength(1);
  expect(stored()).toEqual([FILE]);
  expect(readFileSync(path.join(folder.path, 'owner--repo', FILE)).equals(content)).toBe(true);
});

it('cancels nothing that another window writes', async () => {
  let goOn = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  server.trouble(FILE_PATH, { kind: 'held', after: 100_000, until });
  const download = await ownDownload();
  const window = openWindow();
  await expect.poll(() => Number(window.lines.at(-1))).toBeGreaterThan(10_000);
  expect(download.isBusyElsewhere()).toBe(true);
  expect(await download.cancel()).toBe(false);
  expect(existsSync(`${download.modelPath}.part`)).toBe(true);
  goOn();
  expect((await window.end()).at(-1)).toBe('done');
  expect(server.requestsFor(FILE_PATH)).toHaveLength(1);
  expect(readFileSync(download.modelPath).equals(content)).toBe(true);
});

it('sees how far another window is, each time it looks', async () => {
  server.trouble(FILE_PATH, { kind: 'stall', after: 120_000 }, { kind: 'stall', after: 60_000 });
  const download = await ownDownload();
  const begun = download.start();
  await expect.poll(() => download.state).toMatchObject({ receivedBytes: 120_000 });
  const other = openDownloads();
  const [seen] = await other.unfinished();
  expect([seen?.isRunning, seen?.isBusyElsewhere()]).toEqual([false, true]);
  expect(seen?.state).toMatchObject({ receivedBytes: 120_000 });
  await download.pause();
  const resumed = download.start();
  await expect.poll(() => download.state).toMatchObject({ receivedBytes: 180_000 });
  expect(await other.unfinished()).toEqual([seen]);
  expect(seen?.state).toMatchObject({ receivedBytes: 180_000 });
  await download.pause();
  expect([(await begun).kind, (await resumed).kind]).toEqual(['paused', 'paused']);
});

it('goes on at once where a killed window stopped', async () => {
  server.trouble(FILE_PATH, { kind: 'stall', after: 120_000 });
  const window = openWindow();
  await expect.poll(() => window.lines.at(-1)).toBe(120_000);
  const download = await ownDownload();
  expect(download.isBusyElsewhere()).toBe(true);
  await window.kill();
  expect(download.isBusyElsewhere()).toBe(false);
  expect((await download.start()).kind).toBe('done');
  expect(server.requestsFor(FILE_PATH).map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=120000-']);
  expect(stored()).toEqual([FILE]);
  expect(readFileSync(download.modelPath).equals(content)).toBe(true);
});

it('ends as done if another window has finished it meanwhile', async () => {
  const download = await ownDownload();
  expect((await openWindow().end()).at(-1)).toBe('done');
  expect((await download.start()).kind).toBe('done');
  expect(server.requestsFor(FILE_PATH)).toHaveLength(1);
  expect(stored()).toEqual([FILE]);
});

it('goes on with the version that another window began, not with the one that it remembers', async () => {
  const url = server.put('/plain.gguf', content);
  const [first, second] = [openDownloads(), openDownloads()];
  server.trouble('/plain.gguf', { kind: 'stall', after: 100_000 }, { kind: 'stall', after: 100_000 });
  const mine = await first.prepare(first.planForUrl(url), '');
  const theirs = await second.prepare(second.planForUrl(url), '');
  const begun = theirs.start();
  await expect.poll(() => theirs.state).toMatchObject({ receivedBytes: 100_000 });
  await theirs.pause();
  expect(await begun).toEqual({ kind: 'paused' });
  const newer = randomBytes(300_000);
  server.put('/plain.gguf', newer);
  server.trouble('/plain.gguf');
  const finished = mine.start();
  await expect.poll(() => server.requestsFor('/plain.gguf').length).toBe(2);
  expect(server.requestsFor('/plain.gguf')[1]?.headers['if-range']).toBeDefined();
  await mine.pause();
  await finished;
  expect((await mine.start()).kind).toBe('done');
  expect(readFileSync(mine.modelPath).equals(newer)).toBe(true);
});

it('follows the last request for it, while it runs and in the next window', async () => {
  const downloads = openDownloads();
  server.trouble(FILE_PATH, { kind: 'stall', after: 100_000 });
  const download = await ownDownload(downloads);
  const outcome = download.start();
  await expect.poll(() => download.state).toMatchObject({ receivedBytes: 100_000 });
  const { modelPath, record } = download;
  const again = { label: record.label, modelPath, repository: 'owner/repo', totalBytes: null, files: record.files };
  expect((await downloads.prepare(again, '/other.gguf', 'chat')) === download).toBe(true);
  expect(download.record).toMatchObject({ use: 'chat', modelPathBefore: '/other.gguf' });
  await download.pause();
  await outcome;
  const [next] = await openDownloads().unfinished();
  expect(next?.record).toMatchObject({ use: 'chat', modelPathBefore: '/other.gguf' });
});

it('takes the place of a running one whose file the repository has replaced', async () => {
  const downloads = openDownloads();
  server.trouble(FILE_PATH, { kind: 'stall', after: 100_000 });
  const older = await ownDownload(downloads);
  const ended = older.start().then((outcome) => {
    // As every window does.
    downloads.forget(older);
    return outcome;
  });
  await expect.poll(() => older.state).toMatchObject({ receivedBytes: 100_000 });
  content = randomBytes(300_000);
  server.addRepository('owner/repo', { [FILE]: content });
  server.trouble(FILE_PATH, { kind: 'stall', after: 50_000 });
  const newer = await ownDownload(downloads);
  expect([newer === older, (await ended).kind]).toEqual([false, 'cancelled']);
  const outcome = newer.start();
  await expect.poll(() => newer.state).toMatchObject({ receivedBytes: 50_000 });
  expect((await downloads.unfinished()).map((each) => each === newer)).toEqual([true]);
  await downloads.dispose();
  expect((await outcome).kind).toBe('suspended');
});

it.skipIf(process.platform === 'win32')('begins again after somebody has removed what had arrived', async () => {
  let goOn = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  server.trouble(FILE_PATH, { kind: 'held', after: 100_000, until });
  const download = await ownDownload();
  const outcome = download.start();
  await expect.poll(() => download.state).toMatchObject({ receivedBytes: 100_000 });
  rmSync(`${download.modelPath}.part`);
  goOn();
  expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'disk' } });
  expect((await (await ownDownload()).start()).kind).toBe('done');
  expect(stored()).toEqual([FILE]);
  expect(readFileSync(download.modelPath).equals(content)).toBe(true);
});

it('does not trust a file of the right length', async () => {
  const download = await ownDownload();
  expect((await download.start()).kind).toBe('done');
  const damaged = Buffer.from(content);
  damaged[150_000] = 255 - (damaged[150_000] ?? 0);
  writeFileSync(download.modelPath, damaged);
  expect((await (await ownDownload()).start()).kind).toBe('done');
  expect(readFileSync(download.modelPath).equals(content)).toBe(true);
});

it('does not take a file that is not there for one of no bytes', async () => {
  server.claim('owner/repo', FILE, { bytes: 0 });
  const download = await ownDownload();
  expect(await download.start()).toMatchObject({ kind: 'failed', error: { kind: 'changed' } });
  expect(existsSync(download.modelPath)).toBe(false);
});

it('is left running by a window that ended, unless that has paused it', async () => {
  const here = openDownloads();
  server.trouble(FILE_PATH, { kind: 'stall', after: 100_000 }, { kind: 'stall', after: 100_000 });
  const there = await ownDownload();
  const ended = there.start();
  await expect.poll(() => there.state).toMatchObject({ receivedBytes: 100_000 });
  expect(await here.leftRunning()).toEqual([]);
  await there.suspend();
  expect((await ended).kind).toBe('suspended');
  const [left] = await here.leftRunning();
  expect(left?.modelPath).toBe(there.modelPath);
  const paused = there.start();
  await expect.poll(() => server.requestsFor(FILE_PATH).length).toBe(2);
  await there.pause();
  expect((await paused).kind).toBe('paused');
  expect(await here.leftRunning()).toEqual([]);
});
