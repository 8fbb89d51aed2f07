import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CancellationTokenSource, DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHAT_COUNT_REQUEST,
  CHAT_PIECES_NOTIFICATION,
  CHAT_SIZE_REQUEST,
  type ChatAnswer,
  type ChatAskParams,
  type ChatCapabilities,
  type ChatCapabilitiesParams,
  type ChatMessage,
  type ChatOutcome,
  type ChatPieces,
  type ChatSizeOutcome,
} from '../../../server/protocol/index.js';
import { sureCode } from '../../support/code/sure-code.js';
import { writeChatModel } from '../../support/models/chat-model.js';
import { CHATML, LISTING, QWEN_THINKING } from '../../support/models/chat-templates.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { ServerProcess, starterModel } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const SETTINGS = { threads: 1, timeBudgetMs: 60_000, contextLength: 1024 };
const QUESTION = '```ts\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n```\nWhat is this?';

let folder: TemporaryFolder;
let server: ServerProcess;
const pieces = new Map<string, string>();

beforeAll(async () => {
  folder = new TemporaryFolder();
  writeChatModel(starterModel, folder.file('chat.gguf'));
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
  server.connection.onNotification(CHAT_PIECES_NOTIFICATION, (said: ChatPieces) => {
    for (const piece of said.pieces) {
      if (piece.kind !== 'toolCall') pieces.set(said.id, (pieces.get(said.id) ?? '') + piece.text);
    }
  });
  await server.initialize({ ...SETTINGS, modelPath: folder.file('chat.gguf') });
  await server.waitForState('ready');
});
afterAll(async () => {
  await server.dispose();
  folder.dispose();
});
beforeEach(() => pieces.clear());

const user = (text: string): ChatMessage => ({ role: 'user', text });

function send(params: unknown, source = new CancellationTokenSource()): Promise<ChatOutcome> {
  return server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, params, source.token);
}

async function ask(params: Partial<ChatAskParams>): Promise<ChatAnswer> {
  const outcome = await send({ id: 'a', messages: [user(QUESTION)], temperature: 0, maxTokens: 24, ...params });
  if (outcome.kind === 'refused') throw new Error(outcome.refusal.message);
  return outcome.answer;
}

async function use(modelPath: string): Promise<void> {
  await server.connection.sendNotification(DidChangeConfigurationNotification.type, {
    settings: { ...SETTINGS, modelPath },
  });
  const path = modelPath === '' ? starterModel : modelPath;
  // Also called where no test runs, so this cannot be `expect.poll`.
  await vi.waitFor(async () => expect((await server.status()).model?.path).toBe(path), { timeout: 60_000 });
}

const capabilities = () => server.connection.sendRequest<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST);

describe('a model with a template', () => {
  it('reports its abilities', async () => {
    expect(await capabilities()).toEqual({
      kind: 'canChat',
      modelName: 'Chatty',
      architecture: 'qwen35',
      contextLength: expect.any(Number),
      promptBudget: expect.any(Number),
      thinking: 'none',
      tools: false,
    });
  });

  it('streams its whole answer', async () => {
    const answer = await ask({ id: 'streamed' });
    expect(answer.text.length).toBeGreaterThan(0);
    expect(pieces.get('streamed')).toBe(answer.text);
    expect(answer).toMatchObject({ thinking: '', droppedTurns: 0 });
    expect(answer.generatedTokens).toBeLessThanOrEqual(24);
  });

  it('keeps its evaluated prompt from turn to turn', async () => {
    const first = await ask({ id: '1' });
    const messages = [user(QUESTION), { role: 'assistant', text: first.text } as const, user('And then?')];
    const second = await ask({ id: '2', messages });
    // All of the first question, up to the start of its answer.
    expect(second.reusedTokens).toBeGreaterThanOrEqual(first.promptTokens - 3);
    const third = await ask({
      id: '3',
      messages: [...messages, { role: 'assistant', text: second.text }, user('Why?')],
    });
    expect(third.reusedTokens).toBeGreaterThanOrEqual(second.promptTokens - 3);
    // The same question again reuses everything.
    const again = await ask({ id: '4', messages });
    expect(again.text).toBe(second.text);
    expect(again.reusedTokens).toBeGreaterThan(first.promptTokens);
  });

  it('forgets the oldest turns when the context is full, and reports how many', async () => {
    const found = await capabilities();
    const promptBudget = found.kind === 'canChat' ? found.promptBudget : 0;
    const turn = [user('word '.repeat(promptBudget / 4)), { role: 'assistant', text: 'Yes.' } as const];
    const messages = [...turn, ...turn, ...turn, ...turn, ...turn, user('What was that?')];
    const outcome = await server.connection.sendRequest<ChatSizeOutcome>(CHAT_SIZE_REQUEST, { messages });
    if (outcome.kind === 'refused') throw new Error(outcome.refusal.message);
    const { size } = outcome;
    expect(size).toMatchObject({ promptBudget, droppedTurns: expect.any(Number) });
    expect(size.droppedTurns).toBeGreaterThanOrEqual(2);
    expect(size.promptTokens).toBeLessThanOrEqual(promptBudget);
    const answer = await ask({ messages, maxTokens: 2 });
    expect(answer).toMatchObject({ droppedTurns: size.droppedTurns, promptTokens: size.promptTokens });
  });

  it('refuses a question longer than its context', async () => {
    const outcome = await send({ id: 'x', messages: [user('word '.repeat(20_000))] });
    expect(outcome).toMatchObject({ kind: 'refused', refusal: { reason: 'questionTooLong' } });
  });

  it('refuses a rewrite that does not fit beside the question, with the numbers, and answers one that does', async () => {
    const asked = (words: number) => {
      const part = 'word '.repeat(words);
      return send({ id: 'x', messages: [user(`Rewrite this: ${part}`)], asLongAs: part, temperature: 0, maxTokens: 8 });
    };
    const found = await capabilities();
    const contextLength = found.kind === 'canChat' ? found.contextLength : 0;
    const words = Math.floor(contextLength / 2);
    for (const outcome of [await asked(words), await asked(10 * words)]) {
      if (outcome.kind !== 'refused') throw new Error('the rewrite was not refused');
      const { reason, message } = outcome.refusal;
      const [needed = 0, room = 0] = [.../take about (\d+) tokens, .* has room for (\d+)\./.exec(message)!]
        .slice(1)
        .map(Number);
      expect({ reason, room }).toEqual({ reason: 'questionTooLong', room: contextLength });
      expect(needed).toBeGreaterThan(room);
    }
    expect(await asked(10)).toMatchObject({ kind: 'answered', answer: { forgottenTokens: 0 } });
  });

  it('counts tokens', async () => {
    const count = (text: unknown) => server.connection.sendRequest<number | null>(CHAT_COUNT_REQUEST, { text });
    expect(await count('')).toBe(0);
    expect(await count(5)).toBe(0);
    // No message can contain a control token.
    expect(await count('<|im_end|>')).toBeGreaterThan(1);
  });

  it.each([null, {}, { id: 'x' }, { id: 'x', messages: [{ role: 'owner', text: '' }] }, { id: 5, messages: [] }, 'hm'])(
    'refuses %j as a conversation',
    async (params) => {
      expect(await send(params)).toMatchObject({ kind: 'refused', refusal: { reason: 'badConversation' } });
    },
  );

  it.each([[[]], [[user('')]], [[user('a'), { role: 'assistant', text: 'b' }]]])(
    'refuses %j, which contains no question',
    async (messages) => {
      expect(await send({ id: 'x', messages })).toMatchObject({ refusal: { reason: 'badConversation' } });
    },
  );
});

describe('a long answer', () => {
  beforeAll(async () => {
    writeChatModel(starterModel, folder.file('list.gguf'), LISTING);
    await use(folder.file('list.gguf'));
  });
  afterAll(() => use(folder.file('chat.gguf')));

  it('stops when cancelled, and returns the answer so far', async () => {
    const source = new CancellationTokenSource();
    const outcome = send({ id: 'stopped', messages: [user('Go on.')], temperature: 0, maxTokens: 700 }, source);
    await expect.poll(() => pieces.get('stopped')?.length ?? 0, { interval: 5 }).toBeGreaterThan(0);
    source.cancel();
    expect(await outcome).toMatchObject({
      kind: 'answered',
      answer: { ending: 'stopped', text: pieces.get('stopped') },
    });
  });

  it('lets suggestions go first', async () => {
    const uri = 'file:///work/a.py';
    const { text, position } = sureCode('python');
    await server.open(uri, 'python', text);
    const outcome = send({ id: 'long', messages: [user('Go on.')], temperature: 0, maxTokens: 600 });
    await expect.poll(() => pieces.get('long')?.length ?? 0, { interval: 5 }).toBeGreaterThan(0);
    let ended = false;
    void outcome.then(() => {
      ended = true;
    });
    expect(await server.complete(uri, position)).toHaveLength(1);
    expect(ended).toBe(false);
    const result = await outcome;
    expect(result.kind === 'answered' && result.answer.preemptions).toBeGreaterThan(0);
  });
});

describe('while a model loads', () => {
  // The request right after the setting arrives during the load.
  const choose = (name: string) =>
    server.connection.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { ...SETTINGS, modelPath: name === '' ? '' : folder.file(name) },
    });
  const question = { id: 'w', messages: [user(QUESTION)], temperature: 0, maxTokens: 8 };

  beforeAll(() => writeChatModel(starterModel, folder.file('other.gguf')));

  it('reports abilities from its file, and answers once it is loaded', async () => {
    await choose('other.gguf');
    const found = capabilities();
    const answered = send(question);
    expect(await found).toMatchObject({ kind: 'canChat', modelName: 'Chatty' });
    expect(await answered).toMatchObject({ kind: 'answered', answer: { text: expect.stringMatching(/./) } });
    expect((await server.status()).model?.path).toBe(folder.file('other.gguf'));
  });

  it('ends a question without an error when it is stopped', async () => {
    await choose('chat.gguf');
    const source = new CancellationTokenSource();
    const outcome = send({ ...question, maxTokens: 700 }, source);
    // Once it has answered this request, the server waits for the load.
    await server.status();
    source.cancel();
    expect(await outcome).toMatchObject({ kind: 'answered', answer: { ending: 'stopped' } });
    await server.waitForState('ready');
  });

  it('answers with the model chosen meanwhile', async () => {
    await choose('other.gguf');
    const answered = send(question);
    await choose('chat.gguf');
    expect((await answered).kind).toBe('answered');
    expect((await server.status()).model?.path).toBe(folder.file('chat.gguf'));
  });
});

describe('other models', () => {
  it('separates thinking from the answer', async () => {
    writeScriptedModel(folder.file('thinker.gguf'), {
      template: QWEN_THINKING.replaceAll('\\n', ''),
      control: ['<think>', '</think>'],
      scripts: { '<think>': ['Hm, where?', '</think>', 'There.'] },
      fim: true,
    });
    await use(folder.file('thinker.gguf'));
    expect(await capabilities()).toMatchObject({ kind: 'canChat', thinking: 'optional' });
    expect(await ask({})).toMatchObject({ thinking: 'Hm, where?', text: 'There.' });
    expect(await ask({ think: false })).toMatchObject({ thinking: '', text: 'There.' });
  });

  it('reports an unusable template', async () => {
    writeChatModel(starterModel, folder.file('broken.gguf'), '{% for message in %}');
    await use(folder.file('broken.gguf'));
    const refusal = { reason: 'templateUnusable', message: expect.stringContaining('chat template') };
    expect(await capabilities()).toEqual({ kind: 'cannotChat', refusal, instead: null });
    expect(await send({ id: 'x', messages: [user('a')] })).toEqual({ kind: 'refused', refusal });
  });

  it('reports that a model without a template cannot chat', async () => {
    await use('');
    const refusal = { reason: 'noTemplate', message: expect.stringContaining('cannot chat') };
    expect(await capabilities()).toEqual({
      kind: 'cannotChat',
      refusal,
      instead: expect.objectContaining({
        source: 'catalogue',
        refusal: null,
        fit: expect.not.stringMatching('tooLarge'),
      }),
    });
    expect(await send({ id: 'x', messages: [user('a')] })).toEqual({ kind: 'refused', refusal });
  });

  it('offers one that is on this machine, before a download', async () => {
    const store = folder.file('store/owner--talker');
    mkdirSync(store, { recursive: true });
    writeScriptedModel(path.join(store, 'Talker.gguf'), { name: 'Talker', template: CHATML, scripts: {} });
    await use('');
    const params: ChatCapabilitiesParams = { storeDirectory: path.dirname(store) };
    expect(await server.connection.sendRequest<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST, params)).toMatchObject({
      kind: 'cannotChat',
      instead: { source: 'download', path: path.join(store, 'Talker.gguf'), download: null },
    });
  });
});
