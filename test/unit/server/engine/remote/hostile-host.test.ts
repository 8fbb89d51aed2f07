import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAddress } from '../../../../../server/src/engine/port/remote-target.js';
import { HttpClient, type HttpLimits } from '../../../../../server/src/engine/remote/http/http-client.js';
import { HostileHost, UNBOUNDED_HEAD } from '../../../../support/hosts/hostile-host.js';

const PATIENCE_MS = 30_000;
const never = new AbortController().signal;
const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** Longer than any test takes; a test that waits for a limit shortens it. */
const LIMITS: HttpLimits = {
  connectMs: 20_000,
  firstByteMs: 20_000,
  stallMs: 20_000,
  wholeAnswerMs: 20_000,
  wholeStreamMs: 20_000,
};

let host: HostileHost;
let client: HttpClient;

function clientWith(limits: Partial<HttpLimits> = {}): HttpClient {
  const address = parseAddress(host.address);
  return new HttpClient({ address, apiKey: null, proxy: null, limits: { ...LIMITS, ...limits } });
}

beforeEach(async () => {
  host = await HostileHost.start();
  client = clientWith();
});
afterEach(async () => {
  await client.close();
  await host.stop();
});

async function failureOf(format: 'events' | 'lines' | 'whole', http = client): Promise<unknown> {
  try {
    if (format === 'whole') await http.get('/v1/models', { signal: never });
    else for await (const _value of http.stream('/v1/completions', {}, format, never));
    return null;
  } catch (error) {
    return error;
  }
}

it.each([
  ['a whole answer', 'whole', 'x'.repeat(65_536)],
  ['a line', 'lines', 'x'.repeat(65_536)],
  ['an event', 'events', 'x'.repeat(65_536)],
  ['an event of many lines', 'events', 'data: 1\n'.repeat(8_192)],
  ['a row of values', 'events', `data: "${'x'.repeat(1_000)}"\n\n`.repeat(64)],
  ['a row of lines with a return behind them', 'events', `中${'\n'.repeat(65_532)}\r`],
  ['a row of comments', 'events', ': still here\n\n'.repeat(8_192)],
  ['a row of blank lines', 'lines', `${' '.repeat(1_000)}\n`.repeat(64)],
] as const)(
  'refuses %s without an end',
  async (_name, format, part) => {
    host.answer([UNBOUNDED_HEAD, part], { afterwards: 'forever' });
    expect(await failureOf(format)).toMatchObject({ code: 'remoteFailed', message: expect.stringContaining('no end') });
    expect(host.sentBytes).toBeLessThan(128 * 2 ** 20);
    await expect.poll(() => host.openConnections).toBe(0);
  },
  PATIENCE_MS,
);

it('refuses a stream that goes on forever, however slowly', async () => {
  const http = clientWith({ wholeStreamMs: 300 });
  host.answer([UNBOUNDED_HEAD, ': still here\n\n'], { afterwards: 'forever', everyMs: 20 });
  expect(await failureOf('events', http)).toMatchObject({
    code: 'remoteFailed',
    message: expect.stringContaining('no end'),
  });
  await http.close();
});

it.each(['lines', 'events', 'whole'] as const)('does not wait for an error message that drips (%s)', async (format) => {
  host.answer(['HTTP/1.1 500 Oh\r\nconnection: close\r\n\r\n', 'x'], { afterwards: 'forever', everyMs: 20 });
  const http = clientWith({ wholeAnswerMs: 300 });
  expect(await failureOf(format, http)).toBeInstanceOf(Error);
  await expect.poll(() => host.openConnections).toBe(0);
  await http.close();
});

it(
  'reads a line that comes byte by byte in time that grows with its length',
  async () => {
    const chunk = '1\r\nx\r\n'.repeat(16_384);
    host.answer([CHUNKED_HEAD, ...Array.from({ length: 64 }, () => chunk), '0\r\n\r\n']);
    expect(await failureOf('lines')).toMatchObject({ code: 'remoteFailed' });
  },
  PATIENCE_MS,
);

it.each([
  ['nests deeply', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['nests deeply in an error', `{"error":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`],
  ['is a web page', '<!DOCTYPE html><title>It works!</title>'],
  ['is cut', '{"choices": ['],
  ['is no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x7b])],
])('refuses an answer that %s', async (_name, body) => {
  host.answer([UNBOUNDED_HEAD, body, '\n']);
  expect(await failureOf('lines')).toMatchObject({ code: 'remoteFailed' });
  expect(await failureOf('whole')).toMatchObject({ code: 'remoteFailed' });
});

it.each([
  ['shorter than it says', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}'],
  ['longer than it says', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ndata: {\n\n{}'],
  ['of two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  ['of a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}'],
  ['in chunks of no length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}'],
  ['with endless headers', `HTTP/1.1 200 OK\r\n${`x-more: ${'x'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n{}`],
  ['that is no HTTP', '\u0000\u0001\u0002 hello'],
  ['that ends before it begins', ''],
  ['of another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
  ['that redirects to another host', 'HTTP/1.1 302 Found\r\nlocation: http://192.0.2.1/\r\n\r\n'],
  ['that redirects nowhere', 'HTTP/1.1 308 Gone\r\n\r\n'],
])('refuses an answer %s', async (_name, bytes) => {
  host.answer([bytes]);
  expect(await failureOf('whole')).toMatchObject({ name: 'EngineError', code: expect.stringMatching(/^remote/) });
  const failure = await failureOf('events');
  expect(failure).toMatchObject({ name: 'EngineError', code: expect.stringMatching(/^remote/) });
});
