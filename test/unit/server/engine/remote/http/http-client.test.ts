import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAddress } from '../../../../../../server/src/engine/port/remote-target.js';
import { HttpClient } from '../../../../../../server/src/engine/remote/http/http-client.js';
import { RemoteHost } from '../../../../../support/hosts/remote-host.js';

const never = new AbortController().signal;

let host: RemoteHost;
let client: HttpClient;

beforeEach(async () => {
  host = await RemoteHost.start('openai');
  client = new HttpClient({
    address: parseAddress(host.address),
    apiKey: null,
    proxy: null,
    limits: { connectMs: 2_000, firstByteMs: 150, stallMs: 150, wholeAnswerMs: 150, wholeStreamMs: 60_000 },
  });
});
afterEach(async () => {
  await client.close();
  await host.stop();
});

async function read(signal = never, most = 100): Promise<number> {
  let count = 0;
  for await (const _value of client.stream('/v1/completions', {}, 'events', signal)) {
    count += 1;
    if (count === most) break;
  }
  return count;
}

it.each([
  ['to its end', null],
  ['whose end comes later', { kind: 'linger' }],
] as const)('reads a stream %s, and uses the connection again', async (_name, misbehaviour) => {
  if (misbehaviour !== null) host.misbehave('/v1/completions', misbehaviour);
  // The next request may start before the client has seen the end of the stream.
  const reused = async () => {
    expect(await read()).toBe(6);
    return host.requests.length - host.connections;
  };
  await expect.poll(reused).toBeGreaterThan(0);
  expect(host.requests.some(({ aborted }) => aborted)).toBe(false);
});

it.each([
  ['does not begin', { kind: 'silence' }, 'remoteUnreachable', /did not start to answer within/],
  ['stops in the middle', { kind: 'stall', after: 2 }, 'remoteFailed', /stopped answering/],
  ['is cut', { kind: 'cut', after: 2 }, 'remoteUnreachable', /closed the connection/],
] as const)('names the host whose answer %s', async (_name, misbehaviour, code, message) => {
  host.misbehave('/v1/completions', misbehaviour);
  const error = await read().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(String(error)).toContain(`127.0.0.1:${host.port}`);
});

it.each([
  ['has its time to read the question', 1_800, 10_000, 1],
  ['has a limit of its own', 10_000, 100, /did not start to answer within 0.1 s/],
] as const)(
  'a server that sends its headers before it reads the question %s',
  async (_name, readsMs, limitMs, told) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      setTimeout(() => response.end('data: {}\n\ndata: [DONE]\n\n'), readsMs).unref();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await client.close();
    const limits = { connectMs: 2_000, firstByteMs: limitMs, stallMs: 100, wholeAnswerMs: 150, wholeStreamMs: 60_000 };
    const address = parseAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client = new HttpClient({ address, apiKey: null, proxy: null, limits });
    const outcome = await read().catch(({ message }: Error) => message);
    server.closeAllConnections();
    server.close();
    expect(outcome).toEqual(typeof told === 'number' ? told : expect.stringMatching(told));
  },
);

it('sends no half of a character, which is no JSON for llama-server', async () => {
  const body = { prompt: 'a\ud83d', parts: [{ text: '\ude00b' }, '\u{1F600}', 3, null] };
  await client.post('/v1/completions', body, { signal: never }).catch(() => undefined);
  const sent = { prompt: 'a\uFFFD', parts: [{ text: '\uFFFDb' }, '\u{1F600}', 3, null] };
  expect(host.bodies('/v1/completions')).toEqual([sent]);
});

it('aborts whole answers that do not come', async () => {
  host.misbehave('/v1/models', { kind: 'silence' });
  await expect(client.get('/v1/models', { signal: never })).rejects.toMatchObject({ code: 'remoteUnreachable' });
});

it('closes the connection at once if the rest is not needed', async () => {
  host.misbehave('/v1/completions', { kind: 'stall', after: 2 });
  expect(await read(never, 1)).toBe(1);
  await expect.poll(() => host.requests[0]?.aborted).toBe(true);
});

it('closes the connection at once when it is aborted, and reports nothing', async () => {
  host.misbehave('/v1/completions', { kind: 'silence' });
  const abort = new AbortController();
  const reading = read(abort.signal);
  await expect.poll(() => host.requests.length).toBe(1);
  abort.abort();
  expect(await reading).toBe(0);
  await expect.poll(() => host.requests[0]?.aborted).toBe(true);
});

it('ends running requests when it is closed', async () => {
  host.misbehave('/v1/completions', { kind: 'silence' });
  const reading = read().catch((thrown: unknown) => thrown);
  await expect.poll(() => host.requests.length).toBe(1);
  await client.close();
  expect(await reading).toBeInstanceOf(Error);
});
