import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import { CHAT_ASK_REQUEST, LOAD_NOTIFICATION } from '../../server/protocol/index.js';
import { sureCode } from '../support/code/sure-code.js';
import { ServerProcess, starterModel } from '../support/servers/server-process.js';

/** As in completion.test.ts: the answer matters, not its latency. */
const PATIENT = { timeBudgetMs: 60_000, threads: 1 };

let server: ServerProcess | null = null;

function start(options?: ConstructorParameters<typeof ServerProcess>[0]): ServerProcess {
  server = new ServerProcess(options);
  return server;
}

afterEach(async () => {
  await server?.dispose();
  server = null;
});

async function changeSettings(running: ServerProcess, settings: unknown): Promise<void> {
  await running.connection.sendNotification(DidChangeConfigurationNotification.type, { settings });
}

async function errorOf(running: ServerProcess): Promise<{ code: string; message: string }> {
  for (;;) {
    const { state } = await running.status();
    if (state.kind === 'error') return state.error;
    expect(state.kind).toBe('loading');
  }
}

describe('transports', () => {
  it('announces its capabilities over stdio', async () => {
    const { capabilities, serverInfo } = await start().initialize();
    expect(capabilities).toMatchObject({
      inlineCompletionProvider: true,
      textDocumentSync: { openClose: true, change: 2 },
      positionEncoding: 'utf-16',
    });
    expect(serverInfo).toMatchObject({ name: 'inkling', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it('works over node IPC', async () => {
    const running = start({ transport: 'node-ipc' });
    await running.initialize(PATIENT);
    await running.waitForState('ready');
    const { text, position, expected } = sureCode('python');
    await running.open('file:///work/a.py', 'python', text);
    const [item] = await running.complete('file:///work/a.py', position);
    expect(item?.insertText).toContain(expected);
    expect(await running.shutdown()).toBe(0);
  });
});

/** The server's sockets that wait for connections, as Linux lists them. */
function listeningSockets(pid: number): readonly string[] {
  const own = readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
  const tables = ['tcp', 'tcp6', 'udp', 'udp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8'));
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1)).map((row) => row.trim().split(/\s+/));
  return rows.map((fields) => fields[9] ?? '').filter((inode) => own.includes(inode));
}

it.skipIf(process.platform !== 'linux')('no other program can connect to it', async () => {
  const running = start();
  await running.initialize();
  await running.waitForState('ready');
  expect(listeningSockets(running.child.pid ?? 0)).toEqual([]);
});

describe('the end', () => {
  it('is orderly after shutdown and exit', async () => {
    const running = start();
    await running.initialize();
    await running.waitForState('ready');
    expect(await running.shutdown()).toBe(0);
    expect(running.stderr).toBe('');
  });

  it('is orderly while the model is still loading', async () => {
    const running = start();
    await running.initialize();
    expect(await running.shutdown()).toBe(0);
  });

  it('is orderly while the engine works', async () => {
    const running = start();
    await running.initialize({ ...PATIENT, maxTokens: 512 });
    await running.waitForState('ready');
    await running.open('file:///work/a.ts', 'typescript', 'const a = 1;\n'.repeat(300));
    const pending = running.complete('file:///work/a.ts', { line: 300, character: 0 }).catch(() => []);
    await running.waitForState('working');
    expect(await running.shutdown()).toBe(0);
    await pending;
  });

  it('comes when the client closes the stream', async () => {
    const running = start();
    await running.initialize();
    await running.waitForState('ready');
    running.child.stdin?.end();
    expect(await running.exited()).toBe(1);
  });

  it.each(['loads', 'works'])('comes in order when the client dies while the server %s', async (moment) => {
    const running = start();
    await running.initialize({ ...PATIENT, maxTokens: 512 });
    if (moment === 'works') {
      await running.waitForState('ready');
      await running.open('file:///work/a.ts', 'typescript', 'const a = 1;\n'.repeat(300));
      running.complete('file:///work/a.ts', { line: 300, character: 0 }).catch(() => []);
      await running.waitForState('working');
    }
    // Neither reads nor writes any more: what the server still says of its state and to the log goes nowhere.
    running.child.stdout?.destroy();
    running.child.stdin?.destroy();
    expect(await running.exited()).toBe(1);
    expect(running.stderr).not.toContain('The server ends after');
  });

  it('comes when the parent disconnects', async () => {
    const running = start({ transport: 'node-ipc' });
    await running.initialize();
    running.child.disconnect();
    expect(await running.exited()).toBe(1);
  });

  it('comes when the client is killed', async () => {
    const client = spawn(process.execPath, ['--eval', '']);
    await once(client, 'exit');
    const running = start();
    await running.initialize({ enabled: false }, undefined, client.pid);
    expect(await running.exited()).toBe(1);
  });

  // A terminal that closes hangs up on all that were started in it, such as code-server with its extension hosts.
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('comes in order with %s', async (signal) => {
    const running = start();
    await running.initialize();
    await running.waitForState('ready');
    running.child.kill(signal);
    expect(await running.exited()).toBe(1);
    expect(running.child.signalCode).toBeNull();
  });
});

describe('settings', () => {
  it('replaces malformed settings by their defaults and reports it', async () => {
    const running = start();
    await running.initialize({ enabled: 'yes', languages: 7, threads: -1, maxTokens: 'many', modelPath: null });
    const { model } = await running.waitForState('ready');
    expect(model?.path).toBe(starterModel);
    expect(running.logs.filter((line) => line.startsWith('Setting '))).toHaveLength(4);
    await changeSettings(running, 'nonsense');
    await running.waitForState('ready');
  });

  it('is turned off and on, and follows the language setting', async () => {
    const running = start();
    await running.initialize(PATIENT);
    await running.waitForState('ready');
    const { text, position } = sureCode();
    await running.open('file:///work/a.ts', 'typescript', text);
    const ask = () => running.complete('file:///work/a.ts', position);
    await changeSettings(running, { ...PATIENT, enabled: false });
    await running.waitForState('off');
    expect(await ask()).toEqual([]);
    await changeSettings(running, { ...PATIENT, languages: { typescript: false } });
    await running.waitForState('ready');
    expect(await ask()).toEqual([]);
    await changeSettings(running, PATIENT);
    expect(await ask()).toHaveLength(1);
    // The engine stayed loaded: there was one load.
    expect(running.logs.filter((line) => line.startsWith('Loaded '))).toHaveLength(1);
  });

  it('loads nothing while it starts switched off, also where a client asks a question', async () => {
    const running = start();
    await running.initialize({ enabled: false });
    const question = { id: 'a', messages: [{ role: 'user', text: 'How?' }] };
    const refused = { kind: 'refused', refusal: { reason: 'off', message: 'Inkling is off.' } };
    expect(await running.connection.sendRequest(CHAT_ASK_REQUEST, question)).toEqual(refused);
    expect(await running.status()).toMatchObject({ state: { kind: 'off' }, model: null, memory: null });
  });

  it('reloads when the model or its context changes', async () => {
    const running = start();
    await running.initialize();
    await running.waitForState('ready');
    await changeSettings(running, { contextLength: 1024 });
    await running.waitForState('loading');
    const { model } = await running.waitForState('ready');
    expect(model?.contextLength).toBe(1024);
  });
});

describe('unusable settings', () => {
  it('reports a missing model file, and recovers when the setting is corrected', async () => {
    const running = start();
    await running.initialize({ modelPath: '/nowhere/model.gguf' });
    expect(await errorOf(running)).toEqual({
      code: 'fileNotFound',
      message: expect.stringContaining('/nowhere/model.gguf'),
    });
    await changeSettings(running, { modelPath: '' });
    await expect.poll(async () => (await running.status()).state.kind).toBe('ready');
  });

  it('reports a file that is not a model, and reads it again by the command to load', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'inkling-'));
    try {
      const path = join(directory, 'model.gguf');
      writeFileSync(path, 'not a model');
      const running = start();
      await running.initialize({ modelPath: path });
      expect((await errorOf(running)).code).toBe('notGguf');
      // Downloaded again since. The command to load reads it once more.
      copyFileSync(starterModel, path);
      await running.connection.sendNotification(LOAD_NOTIFICATION, {});
      await expect.poll(async () => (await running.status()).state.kind).toBe('ready');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('reports which native binary is missing, and keeps running', async () => {
    const running = start({ environment: { INKLING_NATIVE_DIR: '/nowhere' } });
    await running.initialize();
    const error = await errorOf(running);
    expect(error.code).toBe('addonUnavailable');
    expect(error.message).toContain('/nowhere');
    expect(await running.shutdown()).toBe(0);
  });

  it('refuses a flavour that the processor does not have', async () => {
    const running = start({ environment: { INKLING_CPU_FLAVOUR: 'avx1024' } });
    await running.initialize();
    expect(await errorOf(running)).toMatchObject({
      code: 'addonUnavailable',
      message: expect.stringContaining('avx1024'),
    });
  });

  it('ignores unknown documents, positions out of range and strange messages', async () => {
    const running = start();
    await running.initialize();
    await running.waitForState('ready');
    expect(await running.complete('file:///work/unknown.ts', { line: 0, character: 0 })).toEqual([]);
    await running.open('file:///work/a.ts', 'typescript', 'const a = 1;\n');
    await running.complete('file:///work/a.ts', { line: 99, character: 99 });
    await running.complete('file:///work/a.ts', { line: 0, character: 4_000_000 });
    await running.open('untitled:Untitled-1', 'typescript', 'let a = ');
    await running.complete('untitled:Untitled-1', { line: 0, character: 8 });
    await running.change('file:///work/never-opened.ts', 7, [{ text: 'x' }]);
    await expect(running.connection.sendRequest('textDocument/inlineCompletion', { nonsense: true })).rejects.toThrow();
    await running.connection.sendNotification('textDocument/didChange', { textDocument: null });
    await expect(running.connection.sendRequest('inkling/unheardOf')).rejects.toThrow();
    expect((await running.status()).state.kind).toBe('ready');
    expect(await running.shutdown()).toBe(0);
  });
});
