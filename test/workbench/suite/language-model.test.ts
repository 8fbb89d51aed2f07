import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type CancellationToken,
  CancellationTokenSource,
  type LanguageModelChat,
  LanguageModelChatMessage,
  LanguageModelChatToolMode,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  lm,
  workspace,
} from 'vscode';
import type { InklingApi } from '../../../extension/src/api.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { TOOL_CALLER } from '../../support/models/tool-caller.js';
import { activateInkling, until, untilState } from './inkling.js';

const QUESTION = LanguageModelChatMessage.User('What is there?');
const TOOLS = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];

describe("the model in VS Code's own chat", () => {
  let inkling: InklingApi;
  let folder: string;
  let model: LanguageModelChat;
  const chatModel = (file: string | undefined) =>
    workspace.getConfiguration('inkling').update('chat.model.path', file, true);
  const models = () => lm.selectChatModels({ vendor: 'inkling' });
  const ask = async (messages: LanguageModelChatMessage[], token?: CancellationToken) => {
    const toolMode = LanguageModelChatToolMode.Auto;
    const { stream } = await model.sendRequest(messages, { tools: TOOLS, toolMode }, token);
    const parts: unknown[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  };
  const textOf = (parts: readonly unknown[]) =>
    parts.map((part) => (part instanceof LanguageModelTextPart ? part.value : '')).join('');

  before(async () => {
    inkling = await activateInkling();
    await untilState(inkling, 'ready');
    folder = mkdtempSync(path.join(tmpdir(), 'inkling-language-model-'));
    const file = path.join(folder, 'tools.gguf');
    writeScriptedModel(file, { ...TOOL_CALLER, name: 'Looker' });
    assert.deepEqual(await models(), [], 'the starter model cannot chat');
    await chatModel(file);
    await until('the chat has a model of its own', () => inkling.status().chat?.path === file);
  });

  after(async () => {
    await chatModel(undefined);
    await until('one model is for both', () => inkling.status().chat === null);
    rmSync(folder, { recursive: true });
  });

  it('is offered before it is loaded, with its capabilities', async () => {
    await until('a model is offered', async () => {
      const [offered] = await models();
      if (offered !== undefined) model = offered;
      return offered !== undefined;
    });
    assert.deepEqual([model.name, model.family, model.maxInputTokens], ['Looker', 'qwen2', 3072]);
    assert.equal(inkling.status().chat?.state.kind, 'unloaded');
  });

  it('calls a tool, and answers with its result', async () => {
    const asked = await ask([QUESTION]);
    assert.equal(textOf(asked).trim(), 'Let me look.');
    const call = asked.find((part) => part instanceof LanguageModelToolCallPart);
    assert.ok(call, JSON.stringify(asked));
    assert.deepEqual([call.name, call.input], ['look', { at: 'home' }]);
    const result = new LanguageModelToolResultPart(call.callId, [new LanguageModelTextPart('a cat')]);
    const told = await ask([
      QUESTION,
      LanguageModelChatMessage.Assistant([new LanguageModelTextPart('Let me look.'), call]),
      LanguageModelChatMessage.User([result]),
    ]);
    assert.equal(textOf(told), 'A cat.');
  });

  it('counts tokens', async () => {
    const short = await model.countTokens('a b');
    assert.ok(short > 0 && (await model.countTokens('a b '.repeat(50))) > short * 20);
  });

  it('ends at once when cancelled', async () => {
    const source = new CancellationTokenSource();
    source.cancel();
    await ask([QUESTION], source.token).catch(() => undefined);
    assert.equal(textOf(await ask([QUESTION])).trim(), 'Let me look.');
  });

  it('refuses what does not fit, with a message', async () => {
    const long = LanguageModelChatMessage.User('too long '.repeat(5_000));
    await assert.rejects(ask([long]), /too long: Looker has room for 3072 tokens/);
  });

  it('disappears while Inkling is off', async () => {
    const turn = (enabled: boolean | undefined) =>
      workspace.getConfiguration('inkling').update('enabled', enabled, true);
    await turn(false);
    await until('no model is offered', async () => (await models()).length === 0);
    await turn(undefined);
    await until('a model is offered', async () => (await models()).length === 1);
  });

  it('disappears when the remaining model cannot chat', async () => {
    await chatModel(undefined);
    await until('one model is for both', () => inkling.status().chat === null);
    await until('no model is offered', async () => (await models()).length === 0);
    assert.deepEqual(await models(), []);
  });
});
