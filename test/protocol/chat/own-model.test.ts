import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHECK_MODEL_REQUEST,
  type ChatCapabilities,
  type ChatOutcome,
  type InklingSettings,
  type ModelCheck,
  UNLOAD_REQUEST,
} from '../../../server/protocol/index.js';
import { sureCode } from '../../support/code/sure-code.js';
import { writeChatModel } from '../../support/models/chat-model.js';
import { CHATML } from '../../support/models/chat-templates.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { ServerProcess, starterModel } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const SETTINGS = { threads: 1, timeBudgetMs: 60_000, unloadAfterMinutes: 0 };
const TEMPLATE = `${CHATML}{{- '<|answer|>' if add_generation_prompt else '' -}}`;
const MODEL = {
  name: 'Talker',
  template: TEMPLATE,
  control: ['<|answer|>'],
  scripts: { '<|answer|>': ['Hello', ' from ', 'Talker.'] },
};

let folder: TemporaryFolder;
let server: ServerProcess;

beforeAll(async () => {
  folder = new TemporaryFolder();
  writeScriptedModel(folder.file('talker.gguf'), MODEL);
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
  await server.initialize({ ...SETTINGS, chatModelPath: folder.file('talker.gguf') });
  await server.waitForState('ready');
});
afterAll(async () => {
  await server.dispose();
  folder.dispose();
});

async function configure(settings: Partial<InklingSettings>): Promise<void> {
  await server.connection.sendNotification(DidChangeConfigurationNotification.type, {
    settings: { ...SETTINGS, ...settings },
  });
}

const capabilities = () => server.connection.sendRequest<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST);

function ask(text = 'Who are you?'): Promise<ChatOutcome> {
  return server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
    id: 'a',
    messages: [{ role: 'user', text }],
    maxTokens: 16,
  });
}

const chatState = async () => (await server.status()).chat?.state.kind;

describe('a model for chat alone', () => {
  it('reports its abilities from its header before it is loaded', async () => {
    expect(await capabilities()).toEqual({
      kind: 'canChat',
      modelName: 'Talker',
      architecture: 'qwen2',
      contextLength: 4096,
      promptBudget: 3072,
      thinking: 'none',
      tools: false,
    });
    expect(await server.status()).toMatchObject({
      chat: { state: { kind: 'unloaded' }, path: folder.file('talker.gguf'), model: null },
      memory: { chatModel: null },
    });
  });

  it('loads at the first question and answers, though it cannot complete', async () => {
    expect(await ask()).toMatchObject({
      kind: 'answered',
      answer: { text: 'Hello from Talker.', ending: 'complete' },
    });
    const { chat, memory, model } = await server.status();
    // It may be preparing the next question.
    expect(chat?.state.kind).toMatch(/^(ready|working)$/);
    expect(chat?.model).toMatchObject({ name: 'Talker', chat: true });
    expect(model?.path).toBe(starterModel);
    expect(memory?.chatModel).toMatchObject({ name: 'Talker', bytes: expect.any(Number) });
    expect(memory?.chatModel?.bytes).toBeGreaterThan(1e6);
    expect(await capabilities()).toMatchObject({ modelName: 'Talker', contextLength: 4096, promptBudget: 3072 });
  });

  it('keeps its evaluated prompt in its one context', async () => {
    const text = `What is this? ${'word '.repeat(100)}`;
    await ask(text);
    const outcome = await ask(text);
    if (outcome.kind === 'refused') throw new Error(outcome.refusal.message);
    expect(outcome.answer.reusedTokens).toBeGreaterThan(outcome.answer.promptTokens / 2);
  });

  it('leaves suggestions to the other model', async () => {
    const uri = 'file:///work/a.py';
    const { text, position } = sureCode('python');
    await server.open(uri, 'python', text);
    const answered = ask();
    expect(await server.complete(uri, position)).toHaveLength(1);
    expect((await answered).kind).toBe('answered');
  });

  it('is refused for suggestions, with the reason', async () => {
    const check = await server.connection.sendRequest<ModelCheck>(CHECK_MODEL_REQUEST, {
      path: folder.file('talker.gguf'),
      storeDirectory: null,
    });
    expect(check).toMatchObject({ kind: 'refused', error: { code: 'noFimTokens' } });
  });

  it("is unloaded with the other one by the user's command, and comes back with a question", async () => {
    await server.connection.sendRequest(UNLOAD_REQUEST);
    expect(await server.status()).toMatchObject({
      state: { kind: 'unloaded' },
      chat: { state: { kind: 'unloaded', reason: 'user' }, model: { name: 'Talker' } },
    });
    expect(await capabilities()).toMatchObject({ kind: 'canChat', modelName: 'Talker' });
    expect((await ask()).kind).toBe('answered');
    // The question needed this model only.
    expect((await server.status()).state.kind).toBe('unloaded');
  });

  it('is unloaded without questions', async () => {
    await configure({ chatModelPath: folder.file('talker.gguf'), unloadAfterMinutes: 0.01 });
    await expect.poll(chatState).toBe('unloaded');
    await configure({ chatModelPath: folder.file('talker.gguf') });
    expect((await ask()).kind).toBe('answered');
  });

  it('is refused with the numbers if it does not fit beside the other one, and loads once it fits', async () => {
    writeScriptedModel(folder.file('large.gguf'), { ...MODEL, name: 'Large', contextLength: 400_000 });
    await configure({ chatModelPath: folder.file('large.gguf'), contextLength: 400_000, memoryBudgetGb: 0.3 });
    await expect.poll(async () => (await server.status()).chat?.path).toBe(folder.file('large.gguf'));
    const outcome = await ask();
    expect(outcome).toMatchObject({ kind: 'refused', refusal: { reason: 'engineFailed' } });
    const message = outcome.kind === 'refused' ? outcome.refusal.message : '';
    expect(message).toMatch(
      /^Large needs about \d+ MB for chat beside the \d+ MB in use, .* 300 MB\. A context of \d+ tokens would fit\.$/,
    );
    expect((await server.status()).chat?.state).toMatchObject({ kind: 'error', error: { code: 'outOfMemory' } });
    await configure({ chatModelPath: folder.file('talker.gguf') });
    await expect.poll(async () => (await server.status()).chat?.path).toBe(folder.file('talker.gguf'));
    expect((await ask()).kind).toBe('answered');
  });

  it.each([
    ['is not there', 'missing.gguf', () => undefined, /There is no model file/],
    ['has no template', 'silent.gguf', (file: string) => writeChatModel(starterModel, file, ''), /no chat template/],
  ])('that %s reports it', async (_name, name, write, message) => {
    write(folder.file(name));
    await configure({ chatModelPath: folder.file(name) });
    await expect.poll(async () => (await server.status()).chat?.path).toBe(folder.file(name));
    expect((await capabilities()).kind).toBe('cannotChat');
    const outcome = await ask();
    expect(outcome.kind === 'refused' && outcome.refusal.message).toMatch(message);
  });

  it('answers even if the settings also name it for suggestions, which are refused with the reason', async () => {
    const talker = folder.file('talker.gguf');
    await configure({ modelPath: talker, chatModelPath: talker });
    await expect.poll(async () => (await server.status()).chat?.path).toBe(talker);
    expect(await ask()).toMatchObject({ kind: 'answered', answer: { text: 'Hello from Talker.' } });
    // The starter model was unloaded above, and comes back in its place.
    const refused = { kind: 'error', error: { code: 'noFimTokens' } };
    await expect.poll(async () => (await server.status()).state).toMatchObject(refused);
    expect((await server.status()).model?.path).toBe(starterModel);
    await configure({});
    await expect.poll(async () => (await server.status()).state.kind).toBe('ready');
  });

  it('is replaced by one model for both', async () => {
    writeChatModel(starterModel, folder.file('both.gguf'));
    await configure({ modelPath: folder.file('both.gguf') });
    await expect.poll(async () => (await server.status()).chat).toBeNull();
    await expect.poll(async () => (await server.status()).model?.name).toBe('Chatty');
    expect(await capabilities()).toMatchObject({ kind: 'canChat', modelName: 'Chatty' });
    expect((await server.status()).memory?.chatModel).toBeNull();
  });

  it('is not needed for a chat with the unloaded suggestion model, which reports that it can chat and comes back', async () => {
    await server.connection.sendRequest(UNLOAD_REQUEST);
    expect(await capabilities()).toMatchObject({ kind: 'canChat', modelName: 'Chatty' });
    expect((await server.status()).state.kind).toBe('unloaded');
    expect((await ask()).kind).toBe('answered');
  });
});
