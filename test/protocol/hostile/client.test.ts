import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as protocol from '../../../server/protocol/index.js';
import { damaged } from '../../support/faults/hostile-json.js';
import { property } from '../../support/faults/property.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { ServerProcess } from '../../support/servers/server-process.js';

const SETTINGS = { maxTokens: 8, timeBudgetMs: 1_000, threads: 1, trigger: 'automatic' };
const URI = 'file:///work/hostile.ts';
const ANSWER_LIMIT_MS = 20_000;
const MEBIBYTE = 2 ** 20;

const document = { uri: URI };
const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 4 } };
const conversation = { messages: [{ role: 'user', text: 'What?' }], tools: [], think: false };

/** What an editor sends, by method. */
const NOTIFICATIONS: Readonly<Record<string, Parameters<typeof damaged>[0]>> = {
  'textDocument/didOpen': { textDocument: { uri: URI, languageId: 'typescript', version: 1, text: 'const a = 1;\n' } },
  'textDocument/didChange': {
    textDocument: { uri: URI, version: 2 },
    contentChanges: [{ range, text: 'let b\n' }, { text: 'f(\n  x,\n' }],
  },
  'textDocument/didClose': { textDocument: document },
  'workspace/didChangeConfiguration': { settings: SETTINGS },
  'workspace/didChangeWorkspaceFolders': { event: { added: [{ uri: 'file:///work', name: 'work' }], removed: [] } },
  [protocol.WORKSPACE_NOTIFICATION]: { trusted: true, exclude: ['**/dist'] },
  [protocol.CLIPBOARD_NOTIFICATION]: { text: 'copied' },
  [protocol.DIAGNOSTICS_NOTIFICATION]: { uri: URI, messages: ['Cannot find name x'] },
  [protocol.DEFINITIONS_NOTIFICATION]: {
    uri: URI,
    definitions: [{ name: 'x', uri: 'file:///work/x.ts', startLine: 0, endLine: 3, signature: 'const x: number' }],
  },
  [protocol.EDIT_REASON_NOTIFICATION]: { uri: URI, version: 2, reason: 'undo' },
  [protocol.CURSOR_NOTIFICATION]: { uri: URI, line: 1, character: 1 },
  [protocol.ACCEPTANCE_NOTIFICATION]: { kind: 'part', uri: URI, text: 'x' },
  [protocol.NEXT_EDIT_OUTCOME_NOTIFICATION]: { id: 1, outcome: 'applied' },
  [protocol.UNWATCH_MEMORY_NOTIFICATION]: {},
  [protocol.LOAD_NOTIFICATION]: {},
};

const REQUESTS: Readonly<Record<string, Parameters<typeof damaged>[0]>> = {
  'textDocument/inlineCompletion': {
    textDocument: document,
    position: { line: 1, character: 2 },
    context: { triggerKind: 1 },
  },
  'workspace/executeCommand': { command: protocol.ACCEPTED_COMMAND, arguments: [{ suggestionId: 1 }] },
  [protocol.CONTEXT_REQUEST]: { uri: URI },
  [protocol.MAY_SHOW_REQUEST]: { uri: URI, text: 'const a = 1;' },
  [protocol.CHAT_ASK_REQUEST]: { ...conversation, id: 'a', maxTokens: 2 },
  [protocol.CHAT_SIZE_REQUEST]: conversation,
  [protocol.CHAT_COUNT_REQUEST]: { text: 'a' },
  [protocol.CHAT_CAPABILITIES_REQUEST]: {},
  [protocol.CHECK_MODEL_REQUEST]: { path: '/nowhere/model.gguf', storeDirectory: null, partial: true },
  [protocol.CHECK_CHAT_MODEL_REQUEST]: { path: '/nowhere/model.gguf' },
  [protocol.FREE_CACHES_REQUEST]: {},
  [protocol.HEARTBEAT_REQUEST]: {},
  [protocol.WATCH_MEMORY_REQUEST]: {},
  [protocol.LIST_MODELS_REQUEST]: { storeDirectory: '/nowhere' },
  [protocol.NEXT_EDIT_DECISIONS_REQUEST]: {},
  [protocol.DECISIONS_REQUEST]: {},
  [protocol.STATISTICS_REQUEST]: {},
  [protocol.STATUS_REQUEST]: {},
  [protocol.UNLOAD_REQUEST]: {},
};

/** What only the server sends. */
const FROM_SERVER: readonly string[] = [
  protocol.CHAT_PIECES_NOTIFICATION,
  protocol.MEMORY_SAMPLE_NOTIFICATION,
  protocol.NEXT_EDIT_NOTIFICATION,
  protocol.STATUS_NOTIFICATION,
];

interface Message {
  readonly method: string;
  readonly params: unknown;
  readonly isRequest: boolean;
}

const message = (kind: typeof NOTIFICATIONS, isRequest: boolean): fc.Arbitrary<Message> =>
  fc
    .constantFrom(...Object.entries(kind))
    .chain(([method, params]) => damaged(params, 2).map((each) => ({ method, params: each, isRequest })));

/** A document is open in most of them, since nearly all work is about one. */
const session = fc
  .array(fc.oneof(message(NOTIFICATIONS, false), message(REQUESTS, true)), { minLength: 1, maxLength: 12 })
  .map((messages): readonly Message[] => [
    { method: 'textDocument/didOpen', params: NOTIFICATIONS['textDocument/didOpen'], isRequest: false },
    ...messages,
  ]);

let server: ServerProcess;

async function startServer(): Promise<void> {
  server = new ServerProcess();
  // A refused message makes the server log; the connection shows what it cannot read.
  server.connection.onError(() => undefined);
  await server.initialize(SETTINGS);
  await server.waitForState('ready');
}

/** Fails unless the server answers in time; an error is an answer. */
async function answered(method: string, params: unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${method} got no answer`)), ANSWER_LIMIT_MS);
  });
  const answer = server.connection.sendRequest(method, params).catch((error: unknown) => {
    // The connection says so where the server ended.
    if (!(error instanceof Error) || /closed|disposed/i.test(error.message)) throw error;
  });
  await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function expectAlive(): Promise<void> {
  await answered(protocol.STATUS_REQUEST, undefined);
  expect(server.child.exitCode).toBeNull();
  expect(server.child.signalCode).toBeNull();
  expect(server.stderr).toBe('');
}

function residentBytes(): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

it('sends every message that the protocol knows', () => {
  const methods = (kind: RegExp) =>
    Object.entries(protocol)
      .flatMap(([name, value]) => (kind.test(name) && typeof value === 'string' ? [value] : []))
      .filter((method) => !FROM_SERVER.includes(method));
  const ours = (messages: object) => Object.keys(messages).filter((method) => method.startsWith('inkling/'));
  expect(methods(/_REQUEST$/).sort()).toEqual(ours(REQUESTS).sort());
  expect(methods(/_NOTIFICATION$/).sort()).toEqual(ours(NOTIFICATIONS).sort());
});

describe('a client that sends anything', () => {
  beforeAll(startServer);
  afterAll(() => server.dispose());

  property(
    'gets an answer to each request, and the server lives',
    session,
    async (messages) => {
      const pending: Promise<void>[] = [];
      for (const { method, params, isRequest } of messages) {
        if (isRequest) {
          const answer = answered(method, params);
          // Where the time of a run ends here, nobody waits for it any more.
          answer.catch(() => undefined);
          pending.push(answer);
        } else await server.connection.sendNotification(method, params);
      }
      await Promise.all(pending);
      await server.connection.sendNotification('workspace/didChangeConfiguration', { settings: SETTINGS });
      await server.connection.sendNotification('textDocument/didClose', { textDocument: document });
      await server.connection.sendNotification(protocol.LOAD_NOTIFICATION);
      await expectAlive();
    },
    { runs: 40 },
  );
});

describe('a client that sends', () => {
  beforeAll(startServer);
  afterAll(() => server.dispose());
  afterEach(() => server.closeAll());

  async function typeInto(text: string, line: number, character: number): Promise<void> {
    await server.open(URI, 'typescript', text);
    const at = { line, character };
    for (let version = 2; version < 4; version += 1) {
      await server.change(URI, version, [{ range: { start: at, end: at }, text: 'a' }]);
      await answered('textDocument/inlineCompletion', {
        textDocument: document,
        position: { line, character: character + 1 },
        context: { triggerKind: 1 },
      });
    }
    await expectAlive();
  }

  it.each([
    ['a document of 50 MB', 'const value = compute(a, b);\n'.repeat(1_800_000), 900_000, 3],
    ['a line of 1 MB', `const a = 1;\n${'x + '.repeat(262_144)}\n`, 1, 1_000],
    ['a line of 1 MB of one letter', 'a'.repeat(MEBIBYTE), 0, MEBIBYTE],
    ['a million blank lines', '\n'.repeat(1_000_000), 500_000, 0],
    ['NUL characters', 'const a = "\0\0";\n\0\0\0'.repeat(1_000), 10, 2],
    ['lone surrogates', 'const \ud800 = "\udc00\udc00\ud800";\n'.repeat(1_000), 10, 7],
    ['line ends of every kind', 'a\r\n\rb\n\r\u2028c\u2029\u0085d\r'.repeat(10_000), 100, 0],
    ['deep nesting', `${'f('.repeat(100_000)}\n`, 0, 100],
  ])('%s gets answers', async (_name, text, line, character) => {
    await typeInto(text, line, character);
  });

  it('versions that go backwards gets answers', async () => {
    await server.open(URI, 'typescript', 'const a = 1;\n', 9);
    for (const version of [8, 3, 3, -1, 9]) await server.change(URI, version, [{ text: `const a = ${version};\n` }]);
    await server.open(URI, 'python', 'def f():\n', 1);
    await answered('textDocument/inlineCompletion', {
      textDocument: document,
      position: { line: 0, character: 8 },
      context: { triggerKind: 1 },
    });
    await expectAlive();
  });

  it.skipIf(isLeftOutDaily('the memory after large documents'))(
    'large documents again and again leaves memory bounded',
    async () => {
      const text = 'const value = compute(a, b);\n'.repeat(350_000);
      const cycle = async () => {
        await server.open(URI, 'typescript', text);
        await server.change(URI, 2, [{ range, text: 'x' }]);
        await answered('textDocument/inlineCompletion', { textDocument: document, position: range.start });
        await server.closeAll();
      };
      for (let round = 0; round < 3; round += 1) await cycle();
      const before = residentBytes();
      for (let round = 0; round < 20; round += 1) await cycle();
      // Some documents may wait for the garbage collector, but not all 200 MB.
      expect(residentBytes() - before).toBeLessThan(160 * MEBIBYTE);
      await expectAlive();
    },
  );
});

describe('a client that keeps no order', () => {
  afterEach(() => server.dispose());

  it('gets an error for requests before initialize, and can initialize then', async () => {
    server = new ServerProcess();
    for (const [method, params] of Object.entries(REQUESTS)) await answered(method, params);
    for (const [method, params] of Object.entries(NOTIFICATIONS)) {
      await server.connection.sendNotification(method, params);
    }
    await server.initialize(SETTINGS);
    await server.waitForState('ready');
    await expectAlive();
  });

  it('gets answers after shutdown, and ends the server with exit', async () => {
    await startServer();
    await server.open(URI, 'typescript', 'const a = 1;\n');
    await server.connection.sendRequest('shutdown');
    for (const [method, params] of Object.entries(REQUESTS)) await answered(method, params);
    await answered('shutdown', undefined);
    await server.connection.sendNotification('exit');
    expect(await server.exited()).toBe(0);
  });

  it('gets an answer to a second initialize', async () => {
    await startServer();
    await server.initialize(SETTINGS).catch(() => undefined);
    await expectAlive();
  });
});

describe('bytes that are no message', () => {
  afterEach(() => server.dispose());

  it.each([
    ['a body that is no JSON', 'Content-Length: 3\r\n\r\n{{{'],
    ['a body that is no message', 'Content-Length: 2\r\n\r\n{}'],
    ['a batch', 'Content-Length: 2\r\n\r\n[]'],
    ['an answer to no question', 'Content-Length: 39\r\n\r\n{"jsonrpc":"2.0","id":99,"result":null}'],
  ])('do not end the server: %s', async (_name, bytes) => {
    await startServer();
    server.child.stdin?.write(bytes);
    await answered(protocol.HEARTBEAT_REQUEST, undefined);
    expect(server.child.exitCode).toBeNull();
  });

  it.each([
    ['no header', 'hello\r\n\r\n'],
    ['a length that is no number', 'Content-Length: many\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -5\r\n\r\n{}'],
  ])('end the server or nothing: %s', async (_name, bytes) => {
    await startServer();
    server.child.stdin?.write(bytes);
    server.child.stdin?.end();
    expect(await server.exited()).not.toBeNull();
  });
});
