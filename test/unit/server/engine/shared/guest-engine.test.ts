import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMessageConnection, type MessageConnection } from 'vscode-jsonrpc/node';
import { GuestEngine } from '../../../../../server/src/engine/shared/guest-engine.js';
import { quietLogger } from '../../../../../server/src/engine/shared/guest-session.js';
import { FrameReader, FrameWriter } from '../../../../../server/src/engine/shared/wire/framing.js';
import { LONGEST_ANSWER_BYTES, MOST_REQUESTS } from '../../../../../server/src/engine/shared/wire/limits.js';
import {
  GENERATE,
  HELLO,
  OWNER_HEARS,
  PIECE,
  TOKENIZE,
} from '../../../../../server/src/engine/shared/wire/messages.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;
let server: Server;
const sockets: Socket[] = [];

beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  await once(server, 'close');
  folder.dispose();
});

/** The guest of an owner that answers as a test says. */
async function guestOf(answer: (owner: MessageConnection) => void): Promise<GuestEngine> {
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    const limits = { mostBytes: LONGEST_ANSWER_BYTES, methods: OWNER_HEARS, onViolation: () => undefined };
    const writer = new FrameWriter(socket, LONGEST_ANSWER_BYTES, () => undefined);
    const owner = createMessageConnection(new FrameReader(socket, limits), writer, quietLogger(SILENT));
    owner.onRequest(HELLO, () => ({ pid: process.pid }));
    answer(owner);
    owner.listen();
  });
  const name = `inkling-test-${process.pid}-${performance.now()}`;
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : folder.file('owner.sock');
  server.listen(address);
  await once(server, 'listening');
  const guest = await GuestEngine.join({ address, secret: '' }, '1.0.0', SILENT);
  if (typeof guest === 'string') throw new Error(`The guest was ${guest}`);
  return guest;
}

it('leaves an owner that sends an answer without an end', async () => {
  const piece = 'a'.repeat(2 ** 20);
  const guest = await guestOf((owner) =>
    owner.onRequest(GENERATE, async ({ progress }) => {
      // More than an answer can have, so that the test ends in any case.
      for (let count = 0; count < 40; count += 1) await owner.sendProgress(PIECE, progress, piece);
      return {};
    }),
  );
  let length = 0;
  let ended = 0;
  guest.onDidEnd(() => {
    ended += 1;
  });
  const take = (text: string): void => {
    length += text.length;
  };
  const answer = guest.generate({ prompt: ['a'], maxTokens: 1 }, take, new AbortController().signal);
  await expect(answer).rejects.toMatchObject({ code: 'ownerLost' });
  expect(length).toBe(LONGEST_ANSWER_BYTES);
  expect(ended).toBe(1);
});

it('asks no more at once than an owner takes, however many texts there are to tokenize', async () => {
  let running = 0;
  let most = 0;
  const guest = await guestOf((owner) =>
    owner.onRequest(TOKENIZE, async () => {
      running += 1;
      most = Math.max(most, running);
      // Long enough for all that may come.
      for (let turn = 0; turn < 2 * MOST_REQUESTS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return [7];
    }),
  );
  const texts = Array.from({ length: 4 * MOST_REQUESTS }, (_, index) => `text ${index}`);
  const tokens = await Promise.all(texts.map((text) => guest.tokenize(text)));
  expect(tokens).toEqual(texts.map(() => [7]));
  expect(most).toBe(MOST_REQUESTS / 2);
  await guest.close();
  await expect(Promise.all(texts.map((text) => guest.tokenize(text)))).rejects.toMatchObject({ code: 'ownerLost' });
});
