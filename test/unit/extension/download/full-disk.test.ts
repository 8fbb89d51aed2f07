import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import type { ModelDownload } from '../../../../extension/src/download/model-download.js';
import { SmallDisk } from '../../../support/faults/small-disk.js';
import { ModelServer } from '../../../support/hosts/model-server.js';

const DISK_BYTES = 4 * 2 ** 20;
const disk = SmallDisk.mount(DISK_BYTES);
afterAll(() => disk?.dispose());

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(async () => {
  await server.stop();
  rmSync(store(), { recursive: true, force: true });
  disk?.resize(DISK_BYTES);
});

function store(): string {
  return path.join(disk?.path ?? '', 'store');
}

function open(reservedBytes = 0): Downloads {
  return new Downloads({
    store: store(),
    repositoryUrl: () => server.url,
    token: async () => null,
    inspect: async () => null,
    stallMs: 60_000,
    reservedBytes,
    spaceCheckBytes: 64 * 1024,
  });
}

/** A download whose server does not say how long the file is. */
async function ofUnknownLength(content: Buffer, downloads: Downloads): Promise<ModelDownload> {
  const url = server.put('/big.gguf', content);
  server.trouble('/big.gguf', { kind: 'tooMuch', extra: 0 });
  return downloads.prepare(downloads.planForUrl(url), '');
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(disk?.path ?? '');
  return bavail * bsize;
}

describe.skipIf(disk === null)('a full disk', () => {
  it('ends a download of unknown length before the reserve is used up, and keeps what arrived', async () => {
    const content = randomBytes(3 * 2 ** 20);
    const download = await ofUnknownLength(content, open(2 * 2 ** 20));
    const outcome = await download.start();
    expect(outcome).toMatchObject({ kind: 'failed', error: { kind: 'diskFull' } });
    expect(freeBytes()).toBeGreaterThan(2 ** 20);
    expect(existsSync(`${download.modelPath}.part`)).toBe(true);
    disk?.resize(4 * DISK_BYTES);
    expect((await download.start()).kind).toBe('done');
    expect(server.requestsFor('/big.gguf')[1]?.headers.range).toMatch(/^bytes=[1-9]/);
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });

  it('is reported where nothing is free, and the download goes on when there is room', async () => {
    const content = randomBytes(6 * 2 ** 20);
    const download = await ofUnknownLength(content, open());
    const outcome = await download.start();
    expect(outcome).toMatchObject({ kind: 'failed', error: { kind: 'diskFull' } });
    expect(outcome.kind === 'failed' && outcome.error.message).toMatch(/disk is full|Not enough disk space/);
    const [again] = await open().unfinished();
    expect(again?.record.state).toBe('running');
    disk?.resize(4 * DISK_BYTES);
    expect((await again?.start())?.kind).toBe('done');
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });

  it('while a download is paused is an error, not the end of the download', async () => {
    const content = randomBytes(2 ** 20);
    server.trouble('/big.gguf', { kind: 'stall', after: 500_000 });
    const downloads = open();
    const download = await downloads.prepare(downloads.planForUrl(server.put('/big.gguf', content)), '');
    const outcome = download.start();
    await expect.poll(() => download.state).toMatchObject({ receivedBytes: 500_000 });
    const ballast = path.join(disk?.path ?? '', 'ballast');
    expect(() => writeFileSync(ballast, randomBytes(DISK_BYTES))).toThrow('ENOSPC');
    await download.pause();
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'diskFull' } });
    expect((await open().unfinished()).map(({ state }) => state)).toMatchObject([{ receivedBytes: 500_000 }]);
    rmSync(ballast);
    expect((await download.start()).kind).toBe('done');
    expect(server.requestsFor('/big.gguf')[1]?.headers.range).toBe('bytes=500000-');
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });
});

it('a small disk that cannot be mounted is a failure where the tests are required, and a skip elsewhere', () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  if (process.getuid !== undefined) vi.spyOn(process, 'getuid').mockReturnValue(1000);
  try {
    vi.stubEnv('INKLING_DISK_TESTS', undefined);
    expect(SmallDisk.mount(DISK_BYTES)).toBeNull();
    vi.stubEnv('INKLING_DISK_TESTS', 'required');
    expect(() => SmallDisk.mount(DISK_BYTES)).toThrow('only root on Linux');
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
});
