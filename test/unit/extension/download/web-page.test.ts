import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TestDownloads } from '../../../support/hosts/test-downloads.js';

const test = TestDownloads.forEachTest();

it.each([0, 100_000])('a web page in place of a file takes nothing of the %d bytes that are here', async (received) => {
  const { server } = test();
  const content = randomBytes(300_000);
  const url = server.put('/model.gguf', content);
  const downloads = test().open();
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
