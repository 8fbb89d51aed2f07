import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FrameReader, FrameWriter } from '../../../../../../server/src/engine/shared/wire/framing.js';
import type { Violation } from '../../../../../../server/src/engine/shared/wire/messages.js';
import { TemporaryFolder } from '../../../../../support/temporary-folder.js';

const METHODS = new Set(['ask', '$/cancelRequest']);
const MOST_BYTES = 4096;

let folder: TemporaryFolder;
let server: Server;
let near: Socket;
let far: Socket;
let count = 0;

beforeEach(async () => {
  folder = new TemporaryFolder();
  server = createServer();
  count += 1;
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\inkling-test-${process.pid}-${count}` : folder.file('s');
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  near = connect(address);
  far = await accepted;
  for (const socket of [near, far]) socket.on('error', () => undefined);
});
afterEach(() => {
  for (const socket of [near, far]) socket.destroy();
  server.close();
  folder.dispose();
});

function read() {
  const messages: unknown[] = [];
  const violations: Violation[] = [];
  const reader = new FrameReader(far, {
    mostBytes: MOST_BYTES,
    methods: METHODS,
    onViolation: (violation) => violations.push(violation),
  });
  reader.listen((message) => messages.push(message));
  return { messages, violations };
}

function frame(body: string, length = Buffer.byteLength(body)): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(length);
  return Buffer.concat([header, Buffer.from(body)]);
}

const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'ask', params: { text: 'ä'.repeat(id) } });

describe('a frame', () => {
  it('arrives however its bytes are cut', async () => {
    const { messages, violations } = read();
    const bytes = Buffer.concat([1, 2, 3, 4, 5].map((id) => frame(JSON.stringify(message(id)))));
    for (let at = 0; at < bytes.length; at += 7) {
      near.write(bytes.subarray(at, at + 7));
      if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => messages).toEqual([1, 2, 3, 4, 5].map(message));
    expect(violations).toEqual([]);
  });

  it('is handed on one in a turn, so that no flood stands in a queue', async () => {
    const { messages } = read();
    near.write(Buffer.concat(Array.from({ length: 500 }, (_, id) => frame(JSON.stringify(message(id % 5))))));
    let before = 0;
    let most = 0;
    while (messages.length < 500) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, messages.length - before);
      before = messages.length;
    }
    expect(most).toBeLessThanOrEqual(2);
  });

  it.each<[string, Buffer, Violation]>([
    ['too long', frame('', MOST_BYTES + 1), 'frameTooLarge'],
    ['empty', frame(''), 'frameTooLarge'],
    ['no JSON', frame('no'), 'notJson'],
    ['no object', frame('7'), 'malformedMessage'],
    ['no version', frame('{"id":1,"method":"ask","params":{}}'), 'malformedMessage'],
    ['no method and no result', frame('{"jsonrpc":"2.0","id":1}'), 'malformedMessage'],
    ['a negative id', frame('{"jsonrpc":"2.0","id":-1,"method":"ask","params":{}}'), 'malformedMessage'],
    ['no parameters', frame('{"jsonrpc":"2.0","id":1,"method":"ask"}'), 'malformedMessage'],
    ['another method', frame('{"jsonrpc":"2.0","id":1,"method":"tell","params":{}}'), 'unknownMessage'],
  ])('that is %s ends the reading', async (_name, bytes, violation) => {
    const { messages, violations } = read();
    near.write(Buffer.concat([bytes, frame(JSON.stringify(message(1)))]));
    await expect.poll(() => violations).toEqual([violation]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(messages).toEqual([]);
  });

  it('takes no memory before its bytes come: a long one is refused at its header', async () => {
    const { violations } = read();
    near.write(Buffer.from([0x7f, 0xff, 0xff, 0xff]));
    await expect.poll(() => violations).toEqual(['frameTooLarge']);
  });
});

describe('writing', () => {
  it('reports a reader that does not follow, and holds no more for it', async () => {
    far.pause();
    let slow = 0;
    const writer = new FrameWriter(near, 2 ** 20, () => {
      slow += 1;
      near.destroy();
    });
    const large = { jsonrpc: '2.0', id: 1, result: 'x'.repeat(2 ** 19) };
    for (let index = 0; index < 200 && slow === 0; index += 1) await writer.write(large);
    expect(slow).toBe(1);
    // The connection is gone: nothing is thrown, since its reader hears of the end.
    await writer.write(large);
    expect(slow).toBe(1);
  });

  it('refuses a request that is too long, and answers an answer that is', async () => {
    const writer = new FrameWriter(near, 300, () => undefined);
    const text = 'x'.repeat(300);
    await expect(writer.write({ ...message(1), params: { text } } as never)).rejects.toMatchObject({
      code: 'promptTooLong',
    });
    const chunks: Buffer[] = [];
    far.on('data', (chunk) => chunks.push(chunk));
    await writer.write({ jsonrpc: '2.0', id: 7, result: text } as never);
    await expect.poll(() => Buffer.concat(chunks).length).toBeGreaterThan(4);
    const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8', 4));
    expect(answer).toMatchObject({ id: 7, error: { data: { code: 'promptTooLong' } } });
  });
});
