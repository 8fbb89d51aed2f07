import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOL_VERSION } from '../../../server/src/engine/shared/wire/messages.js';
import { sureCode } from '../../support/code/sure-code.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { RawGuest } from '../../support/servers/raw-guest.js';
import { repositoryRoot, type ServerProcess } from '../../support/servers/server-process.js';
import { UserPlace } from '../../support/servers/user-place.js';

/** Whatever comes through the socket of a shared model, its owner goes on. */
const SETTINGS = { threads: 1, timeBudgetMs: 60_000, contextLength: 1024, engineShare: 'on' };
const URI = 'file:///work/a.ts';
const SURE = sureCode();
const VERSION = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')).version as string;

let place: UserPlace;
let owner: ServerProcess;
const guests: RawGuest[] = [];

beforeAll(async () => {
  place = new UserPlace();
  owner = place.start();
  await owner.initialize(SETTINGS);
  await owner.waitForState('ready');
  await owner.open(URI, 'typescript', SURE.text);
});
afterAll(() => place.dispose());
afterEach(async () => {
  for (const guest of guests.splice(0)) guest.socket.destroy();
  expect((await owner.complete(URI, SURE.position))[0]?.insertText).toContain(SURE.expected);
  expect(owner.child.exitCode).toBeNull();
  expect(owner.stderr).toBe('');
});

function guest(): RawGuest {
  const folder = path.join(place.home, 'inkling');
  const key = readdirSync(folder).find((name) => name.endsWith('.key')) ?? '';
  const made = new RawGuest(path.join(folder, key));
  guests.push(made);
  return made;
}

async function welcome(): Promise<RawGuest> {
  const made = guest();
  made.hello(VERSION);
  await expect.poll(() => made.answer(0)).toMatchObject({ result: { pid: owner.pid } });
  return made;
}

const generate = (id: number, request: object) => ({ id, method: 'generate', params: { request, progress: id } });

describe('a connection is closed, with a reason', () => {
  const BYTES: readonly (readonly [string, string, (made: RawGuest) => void])[] = [
    ['a frame of 4 GB', 'frameTooLarge', (made) => made.sendBytes('x', 0xff_ff_ff_ff)],
    ['a frame of 4 MiB and a byte', 'frameTooLarge', (made) => made.sendBytes('', 4 * 2 ** 20 + 1)],
    ['an empty frame', 'frameTooLarge', (made) => made.sendBytes('')],
    ['HTTP', 'frameTooLarge', (made) => void made.socket.write('GET / HTTP/1.1\r\n\r\n')],
    ['what is no JSON', 'notJson', (made) => made.sendBytes('{{{')],
    ['JSON that nests 100,000 levels', 'notJson', (made) => made.sendBytes('['.repeat(100_000))],
    ['a list', 'malformedMessage', (made) => made.sendBytes('[]')],
    ['null', 'malformedMessage', (made) => made.sendBytes('null')],
    ['another version of JSON-RPC', 'malformedMessage', (made) => made.sendBytes('{"jsonrpc":"1.0","id":1}')],
    ['parameters by position', 'malformedMessage', (made) => made.send({ id: 1, method: 'ping', params: [1] })],
    ['an id that is no number', 'malformedMessage', (made) => made.send({ id: {}, method: 'ping', params: {} })],
    ['a cancellation of nothing', 'malformedMessage', (made) => made.send({ method: '$/cancelRequest', params: {} })],
    ['a method of no one', 'unknownMessage', (made) => made.send({ id: 1, method: 'shutdown', params: {} })],
    ["vscode-jsonrpc's own trace", 'unknownMessage', (made) => made.send({ method: '$/setTrace', params: {} })],
    ['a request before hello', 'noHello', (made) => made.send({ id: 1, method: 'ping', params: {} })],
    ['another secret', 'wrongHello', (made) => made.hello(VERSION, { secret: '0'.repeat(64) })],
    ['no secret', 'wrongHello', (made) => made.hello(VERSION, { secret: null })],
    ['another version', 'wrongHello', (made) => made.hello('0.0.0')],
    ['another protocol', 'wrongHello', (made) => made.hello(VERSION, { protocol: PROTOCOL_VERSION + 1 })],
  ];

  it.each(BYTES)('after %s', async (_name, reason, send) => {
    const made = guest();
    send(made);
    await made.closed;
    expect(made.reason).toBe(reason);
  });

  it('that says nothing, or half a frame', async () => {
    const [silent, half] = [guest(), guest()];
    half.sendBytes('{"jsonrpc"', 100);
    await Promise.all([silent.closed, half.closed]);
    expect([silent.reason, half.reason]).toEqual(['noHello', 'noHello']);
  });

  it('with too many requests at once', async () => {
    const made = await welcome();
    for (let id = 1; id <= 70; id += 1) made.send(generate(id, { prompt: ['const a = '], maxTokens: 500 }));
    await made.closed;
    expect(made.reason).toBe('tooManyRequests');
  });

  it('where too many windows are there already', async () => {
    for (let count = 0; count < 16; count += 1) await welcome();
    const made = guest();
    made.hello(VERSION);
    await made.closed;
    expect(made.reason).toBe('tooManyWindows');
  });

  it.skipIf(isLeftOutDaily('a guest that does not read'))('that does not read its answers', async () => {
    const made = await welcome();
    made.socket.pause();
    const text = 'a b c d '.repeat(2 ** 16);
    for (let id = 1; id <= 60; id += 1) {
      made.send({ id, method: 'tokenize', params: { text, parseSpecial: false } });
    }
    await expect.poll(() => owner.logs.some((line) => line.includes('(slowReader)')), { timeout: 60_000 }).toBe(true);
    made.socket.resume();
    await made.closed;
  });
});

describe('a request is refused, and the next one answered', () => {
  let made: RawGuest;
  beforeEach(async () => {
    made = await welcome();
  });

  const REQUESTS: readonly (readonly [string, object])[] = [
    ['prompt', { maxTokens: 1 }],
    ['prompt', { prompt: 'text', maxTokens: 1 }],
    ['prompt', { prompt: [{}], maxTokens: 1 }],
    ['prompt', { prompt: [-1], maxTokens: 1 }],
    ['prompt', { prompt: [2 ** 31], maxTokens: 1 }],
    ['maxTokens', { prompt: ['a'], maxTokens: 1e12 }],
    ['sampling', { prompt: ['a'], maxTokens: 1, sampling: { temperature: -1 } }],
    ['slot', { prompt: ['a'], maxTokens: 1, slot: 'third' }],
    ['priority', { prompt: ['a'], maxTokens: 1, priority: 'first' }],
    ['stop', { prompt: ['a'], maxTokens: 1, stop: [null] }],
    ['__proto__', JSON.parse('{"prompt":["a"],"maxTokens":1,"__proto__":{}}') as object],
    ['draftSources', { prompt: ['a'], maxTokens: 1, draftSources: ['mtp'] }],
  ];

  it.each(REQUESTS)('with a wrong %s', async (field, request) => {
    made.send(generate(1, request));
    await expect.poll(() => made.answer(1)).not.toBeNull();
    expect(made.answer(1)).toMatchObject({
      error: { message: expect.stringContaining(field), data: { code: 'invalidArgument' } },
    });
    made.send(generate(2, { prompt: ['const a = '], maxTokens: 2 }));
    await expect.poll(() => made.answer(2)).toMatchObject({ result: { tokens: expect.any(Array) } });
  });

  it.each([
    ['tokenize', { text: 5, parseSpecial: false }],
    ['tokenize', { text: 'a' }],
    ['detokenize', { tokens: ['a'], special: true }],
    ['release', { what: 'weights' }],
    ['load', {}],
    ['generate', {}],
  ])('of %s with %j', async (method, params) => {
    made.send({ id: 1, method, params });
    await expect.poll(() => made.answer(1)).toMatchObject({ error: { data: { code: 'invalidArgument' } } });
    made.send({ id: 2, method: 'ping', params: {} });
    await expect.poll(() => made.answer(2)).toMatchObject({ result: { heldBytes: expect.any(Number) } });
  });

  it('keeps the codes of the engine', async () => {
    made.send(generate(1, { prompt: ['a b '.repeat(5_000)], maxTokens: 1 }));
    await expect.poll(() => made.answer(1)).toMatchObject({ error: { data: { code: 'promptTooLong' } } });
    made.send({ id: 2, method: 'detokenize', params: { tokens: [2 ** 31 - 1], special: false } });
    await expect.poll(() => made.answer(2)).toMatchObject({ error: { data: { code: 'invalidArgument' } } });
  });

  it('in pieces of a byte', async () => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: {} }));
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    for (const byte of Buffer.concat([header, body])) {
      made.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => made.answer(1)).toMatchObject({ result: { heldBytes: expect.any(Number) } });
  });
});
