import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ExecuteCommandRequest,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
} from 'vscode-languageserver-protocol/node';
import {
  ACCEPTED_COMMAND,
  type CompletionStatistics,
  DECISIONS_REQUEST,
  type Decision,
  STATISTICS_REQUEST,
} from '../../server/protocol/index.js';
import { ServerProcess } from '../support/servers/server-process.js';

// An editor that speaks LSP 3.18 and knows nothing of Inkling: it sends no options and none of Inkling's own messages.
// The tests look at statistics and decisions only to see what the server made of it.

const URI = 'file:///work/area.ts';
const TEXT = 'export function area(width: number, height: number): number {\n  return \n}\n';
const CURSOR: Position = { line: 1, character: 9 };

let server: ServerProcess;

beforeEach(() => {
  server = new ServerProcess();
});

afterEach(() => server.dispose());

const statistics = () => server.connection.sendRequest<CompletionStatistics>(STATISTICS_REQUEST);

/** What the user sees who asks for a suggestion, again and again until the model is loaded. */
async function suggested(): Promise<InlineCompletionItem> {
  const invoked = { triggerKind: InlineCompletionTriggerKind.Invoked };
  const deadline = performance.now() + 60_000;
  for (;;) {
    const [item] = await server.complete(URI, CURSOR, undefined, invoked);
    if (item !== undefined) return item;
    if (performance.now() > deadline) throw new Error('no suggestion was shown');
    await delay(50);
  }
}

/** Like Neovim, which tells the smallest difference. */
async function insert({ insertText }: InlineCompletionItem): Promise<void> {
  const range = { start: CURSOR, end: CURSOR };
  await server.change(URI, 2, [{ range, text: String(insertText) }]);
}

/** How often the server prepared what follows an accepted suggestion. */
async function preparations(): Promise<number> {
  const decisions = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
  return decisions.filter(({ trigger }) => trigger === 'prepared').length;
}

describe('a client that knows nothing of Inkling', () => {
  it('gets items, whose command the server offers and executes', async () => {
    const { capabilities } = await server.initialize();
    expect(capabilities.inlineCompletionProvider).toBe(true);
    expect(capabilities.executeCommandProvider).toEqual({ commands: [ACCEPTED_COMMAND] });
    await server.open(URI, 'typescript', TEXT);
    const item = await suggested();
    expect(String(item.insertText).trim()).not.toBe('');
    expect(capabilities.executeCommandProvider?.commands).toContain(item.command?.command);

    // As if accepting changed nothing that the server could recognise.
    const { command, arguments: given = [] } = item.command!;
    expect(await server.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: given })).toBeNull();
    expect(await statistics()).toMatchObject({ accepted: 1 });
    await expect.poll(preparations).toBe(1);
  });

  it('may accept without saying so', async () => {
    await server.initialize();
    await server.open(URI, 'typescript', TEXT);
    const item = await suggested();
    await insert(item);
    expect(await statistics()).toMatchObject({ accepted: 1 });
    await expect.poll(preparations).toBe(1);

    // And both count once.
    const { command, arguments: given = [] } = item.command!;
    await server.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: given });
    expect(await statistics()).toMatchObject({ accepted: 1 });
  });

  it('may tell several keys at once, as Neovim does while somebody types fast', async () => {
    await server.initialize();
    await server.open(URI, 'typescript', TEXT);
    await suggested();
    const behind = { ...CURSOR, character: CURSOR.character + 1 };
    const keys = [
      { range: { start: CURSOR, end: CURSOR }, text: 'w' },
      { range: { start: behind, end: behind }, text: 'i' },
    ];
    await server.change(URI, 2, keys);
    await server.complete(URI, { ...CURSOR, character: CURSOR.character + 2 });
    const [decision] = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
    expect(decision).toMatchObject({ trigger: 'automatic' });
    expect(decision?.reason).not.toBe('afterReplacement');
  });

  it('may send the whole document with each key, and with what it accepts', async () => {
    await server.initialize();
    await server.open(URI, 'typescript', TEXT);
    await suggested();
    const typed = TEXT.replace('return ', 'return w');
    await server.change(URI, 2, [{ text: typed }]);
    const place = { ...CURSOR, character: CURSOR.character + 1 };
    await server.complete(URI, place);
    const [decision] = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
    expect(decision).toMatchObject({ trigger: 'automatic' });
    expect(decision?.reason).not.toBe('afterPaste');

    const invoked = { triggerKind: InlineCompletionTriggerKind.Invoked };
    const [item] = await server.complete(URI, place, undefined, invoked);
    await server.change(URI, 3, [{ text: typed.replace('return w', `return w${item?.insertText}`) }]);
    expect(await statistics()).toMatchObject({ accepted: 1 });
  });

  it('may type something else, which accepts nothing', async () => {
    await server.initialize();
    await server.open(URI, 'typescript', TEXT);
    await suggested();
    await server.change(URI, 2, [{ range: { start: CURSOR, end: CURSOR }, text: 'zebra' }]);
    expect(await statistics()).toMatchObject({ accepted: 0 });
  });
});

it.each([null, {}, { pylsp: { enabled: true } }, [], 'none'])(
  'the settings of initialize stay where a client announces %j',
  async (settings) => {
    await server.initialize({ enabled: false });
    await server.connection.sendNotification('workspace/didChangeConfiguration', { settings });
    expect((await server.status()).state).toEqual({ kind: 'off' });
  },
);

it.each([{ threads: 1 }, { inkling: { enabled: true }, pylsp: {} }])(
  'a client may announce other settings, also in a section: %j',
  async (settings) => {
    await server.initialize({ enabled: false });
    await server.connection.sendNotification('workspace/didChangeConfiguration', { settings });
    expect((await server.status()).state.kind).not.toBe('off');
  },
);

it('our own extension, which registers the command itself, is not offered it', async () => {
  const { capabilities } = await server.initialize({ ownClient: true });
  expect(capabilities).not.toHaveProperty('executeCommandProvider');
});
