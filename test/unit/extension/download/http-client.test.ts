import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HttpClient } from '../../../../extension/src/download/http-client.js';
import { ModelServer } from '../../../support/hosts/model-server.js';

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
