import { beforeEach, expect, it } from 'vitest';
import { ChatController } from '../../../../../extension/src/chat/answer/chat-controller.js';
import { NO_PROJECT_TEXTS } from '../../../../../extension/src/chat/conversation/project-texts.js';
import type { ChatCapabilities } from '../../../../../server/protocol/index.js';
import { WaitingServer } from './waiting-server.js';

let server: WaitingServer;
let chat: ChatController;

const nothing = () => undefined;
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  server = new WaitingServer();
  chat = new ChatController({
    server,
    store: { get: nothing, set: async () => undefined },
    newId: () => 'new',
    project: () => NO_PROJECT_TEXTS,
    refresh: async (attachments) => attachments,
    listener: { onChange: nothing, onGrown: nothing, onReplaced: nothing, onModelChange: nothing },
  });
});

it('asks for capabilities once for each model, and keeps those of the last one', async () => {
  const refusal = (message: string): ChatCapabilities => ({
    kind: 'cannotChat',
    refusal: { reason: 'notReady', message },
    instead: null,
  });
  expect(server.capabilityAnswers).toHaveLength(0);
  const first = [chat.learnCapabilities(), chat.learnCapabilities()];
  expect(server.capabilityAnswers).toHaveLength(1);
  chat.modelChanged();
  const second = chat.learnCapabilities();
  server.capabilityAnswers[1]?.(refusal('second'));
  server.capabilityAnswers[0]?.(refusal('first'));
  // Whoever asked about the earlier model gets the answer about the current one.
  expect(await Promise.all(first)).toEqual([refusal('second'), refusal('second')]);
  expect(await second).toEqual(refusal('second'));
  expect(chat.capabilities).toEqual(refusal('second'));
  expect(await chat.learnCapabilities()).toEqual(refusal('second'));
  expect(server.capabilityAnswers).toHaveLength(2);
});

it('asks about the current model itself, if nobody has when an answer about an earlier one comes', async () => {
  const found: ChatCapabilities = { kind: 'cannotChat', refusal: { reason: 'notReady', message: '' }, instead: null };
  const first = chat.learnCapabilities();
  chat.modelChanged();
  server.capabilityAnswers[0]?.(found);
  await settle();
  expect(chat.capabilities).toBeNull();
  expect(server.capabilityAnswers).toHaveLength(2);
  const during = chat.learnCapabilities();
  server.capabilityAnswers[1]?.(found);
  expect(await Promise.all([first, during])).toEqual([found, found]);
  expect(server.capabilityAnswers).toHaveLength(2);
});

it('asks for capabilities again where no server answered', async () => {
  const first = chat.learnCapabilities();
  server.capabilityAnswers[0]?.(null);
  expect(await first).toBeNull();
  void chat.learnCapabilities();
  expect(server.capabilityAnswers).toHaveLength(2);
});
