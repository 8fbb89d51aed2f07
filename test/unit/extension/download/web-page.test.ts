import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import { ModelServer } from '../../../support/hosts/model-server.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

let server: ModelServer;
let folder: TemporaryFolder;

beforeEach(async () => {
  server = await ModelServer.start();
  folder = new TemporaryFolder();
});
afterEach(async () => {
  await server.stop();
  folder.dispose();
});

it.each([0, 100_000])('a web page in place of a file takes nothing of the %d bytes that are here', async (received) => {
  const content = randomBytes(300_000);
  const url = server.put('/model.gguf', content);
  const downloads = new Downloads({
    ...{ store: folder.path, repositoryUrl: () => server.url, token: async () => null, inspect: async () => null },
    ...{ stallMs: 60_000, retryDelaysMs: [1, 1], reservedBytes: 0 },
  });
  if (received > 0) server.trouble('/model.gguf', { kind: 'cut', after: received });
  server.trouble('/model.gguf', { kind: 'webPage' });
  const download = await downloads.prepare(downloads.planForUrl(url), '');
  expect(await download.start()).toMatchObject({
    kind: 'failed',
    error: { kind: 'server', message: expect.stringContaining('a web page instead of the file') },
  });
  expect(download.state).toMatchObject({ receivedBytes: received });
  expect((await download.start()).kind).toBe('done');
  expect(server.requestsFor('/model.gguf').at(-1)?.headers.range).toBe(received > 0 ? `bytes=${received}-` : undefined);
  expect(readFileSync(download.modelPath).equals(content)).toBe(true);
});
