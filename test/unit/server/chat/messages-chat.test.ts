import { afterEach, beforeEach, expect, it } from 'vitest';
import { MessagesChat } from '../../../../server/src/chat/messages-chat.js';
import { RemoteEngine } from '../../../../server/src/engine/remote/remote-engine.js';
import { RemoteHost } from '../../../support/hosts/remote-host.js';
import { SILENT } from '../scripted-engine.js';

const never = new AbortController().signal;

let host: RemoteHost;
let engine: RemoteEngine;
let chat: MessagesChat;

beforeEach(async () => {
  host = await RemoteHost.start('vllm');
  engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
  const remote = { url: host.address, kind: 'auto', model: '' } as const;
  chat = new MessagesChat(engine, await engine.load({ path: host.address, remote }, () => undefined, never));
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
