import { afterEach, beforeEach, expect, it } from 'vitest';
import { CHAT_ASK_REQUEST, type ChatAnswer, type ChatOutcome } from '../../server/protocol/index.js';
import { attentionModel } from '../support/models/attention-model.js';
import { writeChatModel } from '../support/models/chat-model.js';
import { LISTING } from '../support/models/chat-templates.js';
import { ServerProcess, starterModel } from '../support/servers/server-process.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

const CONTEXT_LENGTH = 512;

let folder: TemporaryFolder;
let server: ServerProcess;

beforeEach(() => {
  folder = new TemporaryFolder();
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
});
afterEach(async () => {
  await server.dispose();
  folder.dispose();
});

/** Asks a model for an answer that is longer than its context. */
async function longAnswer(model: string): Promise<ChatAnswer> {
  writeChatModel(model, folder.file('chat.gguf'), LISTING, CONTEXT_LENGTH);
  await server.initialize({ threads: 1, modelPath: folder.file('chat.gguf') });
  await server.waitForState('ready');
  const outcome = await server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
    id: 'long',
    messages: [{ role: 'user', text: 'Go on.' }],
    temperature: 0,
    maxTokens: CONTEXT_LENGTH * 2,
  });
  if (outcome.kind === 'refused') throw new Error(outcome.refusal.message);
  return outcome.answer;
}

it('goes on where the context is full, and says what was forgotten, with attention in every layer', async () => {
  const answer = await longAnswer(await attentionModel());
  expect(answer.promptTokens + answer.generatedTokens).toBeGreaterThan(CONTEXT_LENGTH);
  expect(answer.forgottenTokens).toBeGreaterThan(0);
});

it('ends where the context is full with recurrent layers', async () => {
  const answer = await longAnswer(starterModel);
  expect(answer.ending).toBe('cutOff');
  expect(answer.promptTokens + answer.generatedTokens).toBeLessThanOrEqual(CONTEXT_LENGTH);
  expect(answer.forgottenTokens).toBe(0);
});
