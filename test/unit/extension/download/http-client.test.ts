import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import { HttpClient } from '../../../../extension/src/download/http-client.js';
import { ModelServer } from '../../../support/hosts/model-server.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

let server: ModelServer;

beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(() => server.stop());

it.each(['with a stated length', 'of unknown length'])(
  'a body %s stays whole if garbage is collected before it is read',
  async (kind) => {
    const content = randomBytes(300_000);
    if (kind === 'of unknown length') server.trouble('/file', { kind: 'tooMuch', extra: 0 });
    const client = new HttpClient({ tokenOrigin: server.url, token: async () => null, stallMs: 60_000 });
    const url = server.put('/file', content);
    const { chunks } = await client.get({ url, signal: new AbortController().signal });
    await collectGarbage();
    const read: Uint8Array[] = [];
    for await (const chunk of chunks) read.push(chunk);
    expect(Buffer.concat(read).equals(content)).toBe(true);
  },
);

it('each attempt goes the way that the settings say at that moment, as VS Code reads http.proxy at each request', async () => {
  const content = randomBytes(1_000);
  const url = server.put('/file.gguf', content);
  const direct = globalThis.fetch;
  let refused = 0;
  const folder = new TemporaryFolder();
  try {
    globalThis.fetch = async () => {
      refused += 1;
      // The user changes the setting while the download waits for its next attempt.
      if (refused === 2) globalThis.fetch = direct;
      throw new TypeError('fetch failed', { cause: new Error('the proxy refuses') });
    };
    const downloads = new Downloads({
      ...{ store: folder.path, repositoryUrl: () => server.url, token: async () => null, inspect: async () => null },
      ...{ stallMs: 60_000, retryDelaysMs: [1, 1, 1], reservedBytes: 0 },
    });
    const download = await downloads.prepare(downloads.planForUrl(url), '');
    expect((await download.start()).kind).toBe('done');
    expect([refused, server.requestsFor('/file.gguf').length]).toEqual([2, 1]);
  } finally {
    globalThis.fetch = direct;
    folder.dispose();
  }
});

it('a list of files that the user does not wait for any longer is no failure', async () => {
  const downloads = new Downloads({
    store: '/store',
    repositoryUrl: () => server.url,
    token: async () => null,
    inspect: async () => null,
    stallMs: 60_000,
  });
  const to = server.put('/list', randomBytes(1_000));
  server.trouble('/api/models/owner/repo/tree/main', { kind: 'redirect', to });
  server.trouble('/list', { kind: 'stall', after: 1 });
  const cancelled = new AbortController();
  const reference = { kind: 'repository', repository: 'owner/repo', revision: 'main', file: null } as const;
  const listed = downloads.modelsOf(reference, cancelled.signal);
  await expect.poll(() => server.requestsFor('/list').length).toBe(1);
  cancelled.abort();
  expect(await listed).toBeNull();
});

/** Several times, with turns of the event loop in which finalizers run. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node does not expose its garbage collector');
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await delay(10);
  }
}
