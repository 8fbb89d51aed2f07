import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DownloadPlan, Downloads, type DownloadsOptions } from '../../../../extension/src/download/downloads.js';
import type { ModelDownload } from '../../../../extension/src/download/model-download.js';
import { selectModel } from '../../../../extension/src/download/repository.js';
import { startOf } from '../../../../server/src/util/files/process-identity.js';
import { ModelServer } from '../../../support/hosts/model-server.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

const REPOSITORY = 'owner/repo';
const FILE = 'model-Q8_0.gguf';
const FILE_PATH = `/${REPOSITORY}/resolve/main/${FILE}`;
const REFERENCE = { kind: 'repository', repository: REPOSITORY, revision: 'main', file: null } as const;
const never = new AbortController().signal;

let server: ModelServer;
let folder: TemporaryFolder;
let content: Buffer;
let token: string | null;
const opened: Downloads[] = [];

beforeEach(async () => {
  server = await ModelServer.start();
  folder = new TemporaryFolder();
  content = randomBytes(300_000);
  token = null;
  server.addRepository(REPOSITORY, { [FILE]: content });
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
  await server.stop();
  folder.dispose();
});

/** A window's downloads; a second call acts as the next window. */
function openDownloads(options: Partial<DownloadsOptions> = {}): Downloads {
  const downloads = new Downloads({
    store: folder.file('store'),
    repositoryUrl: () => server.url,
    token: async () => token,
    inspect: async () => null,
    stallMs: 1_500,
    retryDelaysMs: [1, 1, 1],
    reservedBytes: 0,
    ...options,
  });
  opened.push(downloads);
  return downloads;
}

async function plan(downloads: Downloads, selector = 'Q8_0'): Promise<DownloadPlan> {
  const model = selectModel((await downloads.modelsOf(REFERENCE, never)) ?? [], selector);
  if (model === null) throw new Error(`nothing matches ${selector}`);
  return downloads.planForModel(REFERENCE, model, 'Model');
}

async function prepared(downloads = openDownloads()): Promise<ModelDownload> {
  return downloads.prepare(await plan(downloads), '');
}

async function failure(download: ModelDownload) {
  const outcome = await download.start();
  if (outcome.kind !== 'failed') throw new Error(`it did not fail: ${outcome.kind}`);
  return outcome.error;
}

function stored(): string[] {
  return readdirSync(folder.file('store'), { recursive: true, encoding: 'utf8' }).sort();
}

const MODEL = path.join('owner--repo', FILE);

describe('a download', () => {
  it('leaves a complete model, and nothing else', async () => {
    const download = await prepared();
    const states: string[] = [];
    download.onDidChange(() => states.push(download.state.kind));
    expect(await download.start()).toEqual({ kind: 'done', modelPath: folder.file(`store/${MODEL}`) });
    expect(stored()).toEqual(['owner--repo', MODEL]);
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
    expect(new Set(states)).toEqual(new Set(['idle', 'downloading', 'verifying']));
  });

  it('is shared by all requests for the same model', async () => {
    const downloads = openDownloads();
    const planned = await plan(downloads);
    const [first, second] = await Promise.all([downloads.prepare(planned, ''), downloads.prepare(planned, '')]);
    const outcomes = await Promise.all([first.start(), second.start(), first.start()]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'done']);
    expect(server.requestsFor(FILE_PATH)).toHaveLength(1);
  });

  it('uses bytes received before', async () => {
    expect((await (await prepared()).start()).kind).toBe('done');
    expect((await (await prepared()).start()).kind).toBe('done');
    expect(server.requestsFor(FILE_PATH)).toHaveLength(1);
  });

  it('continues after cuts and stalls, with the missing bytes only', async () => {
    server.trouble(FILE_PATH, { kind: 'cut', after: 100_000 }, { kind: 'stall', after: 50_000 });
    const download = await prepared();
    expect((await download.start()).kind).toBe('done');
    const ranges = server.requestsFor(FILE_PATH).map(({ headers }) => headers.range);
    expect(ranges[0]).toBeUndefined();
    expect(ranges).toHaveLength(3);
    expect(Number(/\d+/.exec(ranges[2] ?? '')?.[0])).toBeGreaterThan(Number(/\d+/.exec(ranges[1] ?? '')?.[0]));
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });

  it('has no rate while its connection is still', async () => {
    server.trouble(FILE_PATH, { kind: 'stall', after: 120_000 });
    const download = await prepared(openDownloads({ stallMs: 60_000 }));
    const outcome = download.start();
    await expect.poll(() => download.state).toMatchObject({ receivedBytes: 120_000, bytesPerSecond: 0 });
    await download.pause();
    expect((await outcome).kind).toBe('paused');
  });

  it('continues in the next window', async () => {
    server.trouble(FILE_PATH, { kind: 'stall', after: 120_000 });
    const first = openDownloads({ stallMs: 60_000 });
    const download = await prepared(first);
    const outcome = download.start();
    await expect.poll(() => download.state).toMatchObject({ receivedBytes: 120_000 });
    await first.dispose();
    expect((await outcome).kind).toBe('suspended');
    expect(stored()).toEqual(['owner--repo', `${MODEL}.download.json`, `${MODEL}.part`]);

    const [again] = await openDownloads().unfinished();
    expect(again?.record).toMatchObject({ state: 'running', label: 'Model' });
    expect(again?.state).toEqual({ kind: 'idle', receivedBytes: 120_000, totalBytes: 300_000 });
    expect((await again?.start())?.kind).toBe('done');
    expect(server.requestsFor(FILE_PATH).at(-1)?.headers.range).toBe('bytes=120000-');
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });

  it('waits for the user after a pause, and forgets everything after a cancel', async () => {
    server.trouble(FILE_PATH, { kind: 'stall', after: 120_000 });
    const download = await prepared(openDownloads({ stallMs: 60_000 }));
    const outcome = download.start();
    await expect.poll(() => download.state).toMatchObject({ receivedBytes: 120_000 });
    await download.pause();
    expect(await outcome).toEqual({ kind: 'paused' });
    expect(download.record.state).toBe('paused');
    expect((await openDownloads().unfinished())[0]?.record.state).toBe('paused');

    await download.cancel();
    expect(stored()).toEqual(['owner--repo']);
    expect(await openDownloads().unfinished()).toEqual([]);
    expect((await download.start()).kind).toBe('done');
  });

  it('can be cancelled while it runs', async () => {
    server.trouble(FILE_PATH, { kind: 'stall', after: 120_000 });
    const download = await prepared(openDownloads({ stallMs: 60_000 }));
    const outcome = download.start();
    await expect.poll(() => download.state).toMatchObject({ receivedBytes: 120_000 });
    await download.cancel();
    expect(await outcome).toEqual({ kind: 'cancelled' });
    expect(stored()).toEqual(['owner--repo']);
  });

  it('fetches all parts of a split model before it shows any', async () => {
    const parts = { 'big-Q4-00001-of-00002.gguf': randomBytes(1000), 'big-Q4-00002-of-00002.gguf': randomBytes(2000) };
    server.addRepository(REPOSITORY, parts);
    const second = `/${REPOSITORY}/resolve/main/big-Q4-00002-of-00002.gguf`;
    server.trouble(second, { kind: 'status', status: 404 });
    const downloads = openDownloads();
    const download = await downloads.prepare(await plan(downloads, 'Q4'), '');
    expect((await failure(download)).kind).toBe('notFound');
    expect(stored().some((name) => name.endsWith('.gguf'))).toBe(false);
    expect((await download.start()).kind).toBe('done');
    expect(stored()).toEqual(['owner--repo', ...Object.keys(parts).map((name) => path.join('owner--repo', name))]);
    expect(server.requestsFor(`/${REPOSITORY}/resolve/main/big-Q4-00001-of-00002.gguf`)).toHaveLength(1);
  });

  it('works from an address without length or hash', async () => {
    const url = server.put('/files/some model.gguf', content);
    const downloads = openDownloads();
    const download = await downloads.prepare(downloads.planForUrl(encodeURI(url)), '');
    server.trouble('/files/some model.gguf', { kind: 'cut', after: 1000 });
    const outcome = await download.start();
    expect(outcome.kind).toBe('done');
    expect(path.basename(download.modelPath)).toBe('some_model.gguf');
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });
});

describe('a server that errs', () => {
  it.each([
    ['ignores the range', { kind: 'ignoreRange' }],
    ['answers with another range', { kind: 'wrongRange' }],
    ['says that there is nothing more', { kind: 'status', status: 416 }],
    ['is busy', { kind: 'status', status: 503 }],
  ] as const)('%s: the file is right in the end', async (_name, trouble) => {
    server.trouble(FILE_PATH, { kind: 'cut', after: 100_000 }, trouble);
    const download = await prepared();
    expect((await download.start()).kind).toBe('done');
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });

  it('has another version now: the download starts again', async () => {
    server.trouble(FILE_PATH, { kind: 'stall', after: 100_000 });
    const url = server.url + FILE_PATH;
    const first = openDownloads({ stallMs: 60_000 });
    const download = await first.prepare(first.planForUrl(url), '');
    void download.start();
    await expect.poll(() => download.state).toMatchObject({ receivedBytes: 100_000 });
    await first.dispose();
    const newer = randomBytes(300_000);
    server.put(FILE_PATH, newer);
    const [again] = await openDownloads().unfinished();
    expect((await again?.start())?.kind).toBe('done');
    expect(readFileSync(download.modelPath).equals(newer)).toBe(true);
  });

  it.each([
    ['a wrong hash', { sha256: 'f'.repeat(64) }, 'wrongHash', 'SHA-256'],
    [
      'another length than the list',
      { bytes: 299_999 },
      'changed',
      '300000 bytes, but the repository lists 299999 bytes',
    ],
  ] as const)('serves %s: refused', async (_name, lie, kind, message) => {
    server.claim(REPOSITORY, FILE, lie);
    const download = await prepared();
    const error = await failure(download);
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(message);
    expect(existsSync(download.modelPath)).toBe(false);
    expect(existsSync(`${download.modelPath}.part`)).toBe(false);
  });

  it('sends too many bytes: refused, and nothing is kept', async () => {
    server.trouble(FILE_PATH, { kind: 'tooMuch', extra: 10 });
    const download = await prepared();
    expect((await failure(download)).message).toContain('more than the announced 300000 bytes');
    expect((await download.start()).kind).toBe('done');
  });

  it.each([200_000, 400_000])('announces %d bytes of 300000: refused', async (length) => {
    server.trouble(FILE_PATH, { kind: 'lieAboutLength', length });
    expect((await failure(await prepared())).kind).toBe('changed');
  });

  it('announces more than it sends, and nothing states the length: the file is what arrived', async () => {
    const url = server.put('/short.gguf', content);
    server.trouble('/short.gguf', { kind: 'lieAboutLength', length: 400_000 });
    const downloads = openDownloads();
    const download = await downloads.prepare(downloads.planForUrl(url), '');
    expect((await download.start()).kind).toBe('done');
    expect(readFileSync(download.modelPath).equals(content)).toBe(true);
  });

  it.each([
    [404, 'notFound', 'has no such file or repository (404)'],
    [403, 'unauthorized', 'restricts access to this model (403)'],
    [418, 'server', 'status 418'],
  ])('answers %d', async (status, kind, message) => {
    server.trouble(FILE_PATH, { kind: 'status', status });
    const download = await prepared();
    const error = await failure(download);
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(message);
    expect(download.record.state).toBe('paused');
  });

  it('never answers: fails after the last attempt, and the next window retries', async () => {
    server.trouble(FILE_PATH, ...Array.from({ length: 9 }, () => ({ kind: 'stall', after: 0 }) as const));
    const download = await prepared(openDownloads({ stallMs: 50 }));
    expect((await failure(download)).message).toContain('has sent nothing for');
    expect(server.requestsFor(FILE_PATH)).toHaveLength(4);
    expect(download.record.state).toBe('running');
  });

  it('redirects in a loop', async () => {
    const circle = { kind: 'redirect', to: FILE_PATH } as const;
    server.trouble(FILE_PATH, ...Array.from({ length: 12 }, () => circle));
    expect((await failure(await prepared())).message).toContain('redirects in a loop');
  });

  it('returns something other than a list', async () => {
    server.trouble(`/api/models/${REPOSITORY}/tree/main`, { kind: 'status', status: 200, body: '<html>' });
    await expect(plan(openDownloads())).rejects.toMatchObject({ kind: 'server' });
  });
});

describe('access', () => {
  it('asks for a token, and continues with it', async () => {
    server.token = 'hf_secret';
    const downloads = openDownloads();
    await expect(plan(downloads)).rejects.toMatchObject({ kind: 'unauthorized' });
    token = 'hf_secret';
    expect((await (await prepared(downloads)).start()).kind).toBe('done');
  });

  it.each(['hf_\nsecret', 'hf_secret“', 'hf_ secret'])(
    'never repeats an invalid token in an error (%j)',
    async (invalid) => {
      token = invalid;
      const error = await plan(openDownloads()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind: 'unauthorized' });
      expect(String(error)).not.toContain('hf_');
      expect(server.requests).toHaveLength(0);
    },
  );

  it('never shows the token to another host', async () => {
    server.token = 'hf_secret';
    token = 'hf_secret';
    const elsewhere = await ModelServer.start();
    try {
      const address = elsewhere.put('/blob', content);
      server.trouble(FILE_PATH, { kind: 'redirect', to: address });
      expect((await (await prepared()).start()).kind).toBe('done');
      expect(elsewhere.requests).toHaveLength(1);
      expect(elsewhere.requests[0]?.headers.authorization).toBeUndefined();
      expect(server.requestsFor(FILE_PATH)[0]?.headers.authorization).toBe('Bearer hf_secret');

      const foreign = openDownloads();
      const download = await foreign.prepare(foreign.planForUrl(elsewhere.put('/other.gguf', content)), '');
      await download.start();
      expect(elsewhere.requestsFor('/other.gguf')[0]?.headers.authorization).toBeUndefined();
    } finally {
      await elsewhere.stop();
    }
  });

  it('does not download over an insecure connection', () => {
    expect(() => openDownloads().planForUrl('http://example.com/model.gguf')).toThrow('does not use https');
  });
});

describe('the disk', () => {
  it('must have room for the missing bytes', async () => {
    const error = await failure(await prepared(openDownloads({ reservedBytes: Number.MAX_SAFE_INTEGER / 4 })));
    expect(error.kind).toBe('diskFull');
    expect(error.message).toMatch(/Not enough disk space: [\d.]+ GB free\. The download needs [1-9]\d* [KM]B more/);
    expect(server.requestsFor(FILE_PATH)).toHaveLength(0);
  });

  it('is not written by two windows at once', async () => {
    const download = await prepared();
    mkdirSync(path.dirname(download.modelPath), { recursive: true });
    const lock = { host: hostname(), id: 'x', pid: process.ppid, start: startOf(process.ppid) };
    writeFileSync(`${download.modelPath}.lock`, JSON.stringify(lock));
    expect(download.isBusyElsewhere()).toBe(true);
    expect((await failure(download)).message).toContain('Another window is already downloading Model');
    writeFileSync(`${download.modelPath}.lock`, JSON.stringify({ ...lock, pid: 999_999_999 }));
    expect(download.isBusyElsewhere()).toBe(false);
    expect((await download.start()).kind).toBe('done');
  });

  it('frees removed models, and deletes only our own files', async () => {
    const downloads = openDownloads();
    const download = await prepared(downloads);
    await download.start();
    await expect(downloads.remove([download.modelPath, folder.file('other.gguf')])).rejects.toThrow(
      'not downloaded by',
    );
    expect(existsSync(download.modelPath)).toBe(true);
    await downloads.remove([download.modelPath]);
    expect(stored()).toEqual([]);
  });

  it('may contain invalid records, which are ignored', async () => {
    mkdirSync(folder.file('store'));
    writeFileSync(folder.file('store/a.gguf.download.json'), '{');
    const evil = { version: 1, label: 'a', repository: null, state: 'running', modelPathBefore: '' };
    const file = { url: server.url, name: '../../out.gguf', bytes: 1, sha256: null, validator: null };
    writeFileSync(folder.file('store/b.gguf.download.json'), JSON.stringify({ ...evil, files: [file] }));
    expect(await openDownloads().unfinished()).toEqual([]);
  });
});

it('shows by the header of a download that the model is unusable, which ends it', async () => {
  content = randomBytes(20 * 2 ** 20);
  server.addRepository(REPOSITORY, { [FILE]: content });
  server.trouble(FILE_PATH, { kind: 'stall', after: 17 * 2 ** 20 });
  const inspected: string[] = [];
  const inspect = async (file: string) => {
    inspected.push(path.basename(file));
    return 'The model has no fill-in-the-middle tokens';
  };
  const error = await failure(await prepared(openDownloads({ inspect, stallMs: 60_000 })));
  expect(error).toMatchObject({ kind: 'unusable' });
  expect(error.message).toBe('The model has no fill-in-the-middle tokens. Inkling stopped the download.');
  expect(inspected).toEqual([`${FILE}.part`]);
  expect(stored()).toEqual(['owner--repo']);
});
