import { afterEach, beforeEach, expect, it } from 'vitest';
import { MessagesChat } from '../../../../server/src/chat/messages-chat.js';
import { RemoteEngine } from '../../../../server/src/engine/remote/remote-engine.js';
import { RemoteHost } from '../../../support/hosts/remote-host.js';
import { SILENT } from '../scripted-engine.js';

const never = new AbortController().signal;

let host: RemoteHost;
let engine: RemoteEngine;
let chat: MessagesChat;
/** Questions to the tokenizer at the same time. */
let asking: number;
let mostAsking: number;

beforeEach(async () => {
  host = await RemoteHost.start('vllm');
  engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
  const remote = { url: host.address, kind: 'auto', model: '' } as const;
  const facts = await engine.load({ path: host.address, remote }, () => undefined, never);
  asking = 0;
  mostAsking = 0;
  const tokenize: typeof engine.tokenize = async (...question) => {
    asking += 1;
    mostAsking = Math.max(mostAsking, asking);
    const tokens = await engine.tokenize(...question);
    asking -= 1;
    return tokens;
  };
  chat = new MessagesChat({ tokenize, converse: engine.converse.bind(engine) }, facts);
});
afterEach(async () => {
  await engine.close();
  await host.stop();
});

it('asks the tokenizer once for each message, whatever a text spells', async () => {
  const before = host.bodies('/tokenize').length;
  // The server reads the tokens in the conversation as it reads them here.
  expect(await chat.count('ab<|fim_pad|>'.repeat(500))).toBe(1_500);
  expect(host.bodies('/tokenize').length - before).toBe(1);
});

it('asks the tokenizer for some messages at a time, however many a conversation has', async () => {
  const messages = Array.from({ length: 101 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `message ${index}`,
  }));
  expect(await chat.request(messages)).not.toBeNull();
  expect(host.bodies('/tokenize').length).toBeGreaterThan(100);
  expect(mostAsking).toBe(16);
});
