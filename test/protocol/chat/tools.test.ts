import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHAT_PIECES_NOTIFICATION,
  type ChatAnswer,
  type ChatAskParams,
  type ChatCapabilities,
  type ChatMessage,
  type ChatOutcome,
  type ChatPiece,
  type ChatPieces,
  type ChatTool,
} from '../../../server/protocol/index.js';
import { CHANNELS, MARKED_CALLS } from '../../support/models/chat-templates.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { ANSWER_STARTS, TOOL_CALLER, withAnswerStarts } from '../../support/models/tool-caller.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const SETTINGS = { threads: 1 };
const LOOK: ChatTool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
};
const QUESTION: ChatMessage = { role: 'user', text: 'What is there?' };

let folder: TemporaryFolder;
let server: ServerProcess;
const pieces: ChatPiece[] = [];

beforeAll(async () => {
  folder = new TemporaryFolder();
  writeScriptedModel(folder.file('tags.gguf'), { ...TOOL_CALLER, name: 'Tags', fim: true });
  writeScriptedModel(folder.file('tokens.gguf'), {
    name: 'Tokens',
    fim: true,
    template: withAnswerStarts(MARKED_CALLS),
    control: [...ANSWER_STARTS, '[THINK]', '[/THINK]', '[TOOL_CALLS]', '[ARGS]'],
    scripts: {
      '<|asked|>': ['[THINK]', 'Hm, where?', '[/THINK]', '[TOOL_CALLS]', 'look', '[ARGS]', '{"at": "home"}'],
      '<|told|>': ['[THINK]', 'So.'].slice(1),
    },
  });
  writeScriptedModel(folder.file('channels.gguf'), {
    name: 'Channels',
    fim: true,
    template: CHANNELS.replace(
      "'<|start|>assistant' -}}{%- endif",
      "'<|start|>assistant' + ('<|told|>' if messages[-1].role == 'tool' else '<|asked|>') -}}{%- endif",
    ),
    control: [...ANSWER_STARTS, '<|start|>', '<|channel|>', '<|message|>', '<|end|>', '<|call|>', '<|return|>'],
    scripts: {
      '<|asked|>': ['<|channel|>', 'analysis', '<|message|>', 'Hm.', '<|end|>'],
      '<|told|>': ['final answer: ', 'a cat.'],
    },
  });
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
  server.connection.onNotification(CHAT_PIECES_NOTIFICATION, (said: ChatPieces) => void pieces.push(...said.pieces));
  await server.initialize({ ...SETTINGS, modelPath: folder.file('tags.gguf') });
  await server.waitForState('ready');
});
afterAll(async () => {
  await server.dispose();
  folder.dispose();
});

async function use(name: string): Promise<void> {
  const modelPath = folder.file(`${name}.gguf`);
  await server.connection.sendNotification(DidChangeConfigurationNotification.type, {
    settings: { ...SETTINGS, modelPath },
  });
  await expect.poll(async () => (await server.status()).model?.path).toBe(modelPath);
  await server.waitForState('ready');
}

async function ask(params: Partial<ChatAskParams>): Promise<ChatAnswer> {
  pieces.length = 0;
  const outcome = await server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
    id: 'a',
    messages: [QUESTION],
    maxTokens: 40,
    ...params,
  });
  if (outcome.kind === 'refused') throw new Error(outcome.refusal.message);
  return outcome.answer;
}

/** What VS Code does after a call: it asks again with the call and its result. */
function withToolResult({ text, toolCalls }: ChatAnswer): readonly ChatMessage[] {
  const results = toolCalls.map(({ id }): ChatMessage => ({ role: 'tool', text: 'A cat is there.', callId: id }));
  return [QUESTION, { role: 'assistant', text, toolCalls }, ...results];
}

describe('calls between tags', () => {
  it('are offered, streamed, and continued with their result', async () => {
    expect(await server.connection.sendRequest<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST)).toMatchObject({
      kind: 'canChat',
      tools: true,
    });
    const answer = await ask({ tools: [LOOK] });
    expect(answer).toMatchObject({
      text: 'Let me look.',
      ending: 'complete',
      toolCalls: [{ name: 'look', input: { at: 'home' } }],
    });
    expect(answer.toolCalls[0]?.id).toMatch(/^[a-z\d]{9}$/);
    expect(pieces).toEqual([
      { kind: 'answer', text: 'Let me look.' },
      { kind: 'toolCall', call: answer.toolCalls[0] },
    ]);
    expect(await ask({ tools: [LOOK], messages: withToolResult(answer) })).toMatchObject({
      text: 'A cat.',
      toolCalls: [],
    });
  });

  it('are text without tools, or without one of that name', async () => {
    const text = 'Let me look.\n<tool_call>\n{"name": "look", "arguments": {"at": "home"}}\n</tool_call>';
    expect(await ask({})).toMatchObject({ text, toolCalls: [] });
    expect(await ask({ tools: [{ ...LOOK, name: 'other' }] })).toMatchObject({ text, toolCalls: [] });
  });

  it('can be demanded', async () => {
    // The sampled text varies, but it begins as a call.
    const { text } = await ask({ tools: [LOOK], mustCall: true, maxTokens: 16, temperature: 0 });
    expect(text).toMatch(/^<tool_call>\n/);
  });

  it.each([
    ['a tool without a name', { tools: [{ description: '' }] }],
    ['tools that are no list', { tools: 'look' }],
    ['a result of nothing', { messages: [{ role: 'tool', text: '' }] }],
    ['a question that calls', { messages: [{ ...QUESTION, toolCalls: [{ id: '', name: 'look', input: {} }] }] }],
    ['a call without input', { messages: [{ role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'look' }] }] }],
  ])('refuses %s as a conversation', async (_name, params) => {
    const outcome = await server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, {
      id: 'a',
      messages: [QUESTION],
      ...params,
    });
    expect(outcome).toMatchObject({ kind: 'refused', refusal: { reason: 'badConversation' } });
  });
});

describe('control tokens', () => {
  it('separate thinking, and mark calls', async () => {
    await use('tokens');
    const answer = await ask({ tools: [LOOK] });
    expect(answer).toMatchObject({
      thinking: 'Hm, where?',
      text: '',
      toolCalls: [{ name: 'look', input: { at: 'home' } }],
    });
    expect(await ask({ tools: [LOOK], messages: withToolResult(answer) })).toMatchObject({ text: 'So.', thinking: '' });
  });

  it('on channels never reach the answer', async () => {
    await use('channels');
    expect(await ask({})).toMatchObject({ thinking: 'Hm.', text: '' });
    expect(pieces.map((piece) => piece.kind)).toEqual(['thinking']);
  });
});
