import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import { HEARTBEAT_REQUEST, LOAD_NOTIFICATION } from '../../../server/protocol/index.js';
import { isAlive } from '../../../server/src/util/files/is-alive.js';
import { sureCode } from '../../support/code/sure-code.js';
import { parseGguf, serializeGguf } from '../../support/models/gguf.js';
import { repositoryRoot, type ServerProcess, starterModel } from '../../support/servers/server-process.js';
import { damagedFiles, UserPlace } from '../../support/servers/user-place.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1, unloadAfterMinutes: 0 };
const SUPPORT = path.join(repositoryRoot, 'test/support');
const STUCK_ON_SIGNAL = `--require ${path.join(SUPPORT, 'faults/stuck-on-signal.cjs')}`;
const SERVER = path.join(repositoryRoot, 'dist/server.js');
const DOCUMENT = 'file:///work/a.ts';

let place: UserPlace;

beforeEach(() => {
  place = new UserPlace();
});
afterEach(() => place.dispose());

async function die(server: ServerProcess): Promise<void> {
  server.child.kill('SIGKILL');
  await server.exited();
}

/** Starts a suggestion of many tokens and waits until the engine works on it. */
async function generate(server: ServerProcess): Promise<void> {
  await server.open(DOCUMENT, 'typescript', 'const a = 1;\n'.repeat(300));
  void server.complete(DOCUMENT, { line: 300, character: 0 }).catch(() => []);
  await server.waitForState('working');
}

async function suggestion(server: ServerProcess): Promise<string> {
  const { text, position } = sureCode();
  await server.open('file:///work/b.ts', 'typescript', text);
  const [item] = await server.complete('file:///work/b.ts', position);
  return String(item?.insertText ?? '');
}

async function errorOf(server: ServerProcess): Promise<{ readonly code: string; readonly message: string }> {
  for (;;) {
    const { state: current } = await server.status();
    if (current.kind === 'error') return current.error;
    expect(current.kind).toBe('loading');
    await delay(5);
  }
}

describe('a server that is killed', () => {
  const moments: readonly [string, (server: ServerProcess) => Promise<unknown>][] = [
    ['before it is asked anything', async () => undefined],
    ['after the handshake', (server) => server.initialize(PATIENT)],
    [
      'while it loads',
      async (server) => {
        await server.initialize(PATIENT);
        await server.waitForState('loading');
      },
    ],
    [
      'while it generates',
      async (server) => {
        await server.initialize({ ...PATIENT, maxTokens: 512 });
        await server.waitForState('ready');
        await generate(server);
      },
    ],
  ];

  it.each(moments)('%s comes back with the same model', async (_name, reach) => {
    const first = place.start();
    await reach(first);
    await die(first);
    const next = place.start();
    await next.initialize(PATIENT);
    const { model } = await next.waitForState('ready');
    expect(model?.path).toBe(starterModel);
    expect(await suggestion(next)).not.toBe('');
    expect(await next.shutdown()).toBe(0);
    await expect.poll(() => place.processesLeft()).toEqual([]);
    expect(damagedFiles(place.state)).toEqual([]);
  });

  it("while it generates with the user's model comes back with that one", async () => {
    const modelPath = place.ownModel();
    const first = place.start();
    await first.initialize({ ...PATIENT, maxTokens: 512, modelPath });
    await first.waitForState('ready');
    await generate(first);
    await die(first);
    const next = place.start();
    await next.initialize({ ...PATIENT, modelPath });
    expect((await next.waitForState('ready')).model?.path).toBe(modelPath);
    expect(damagedFiles(place.state)).toEqual([]);
  });
});

describe('a model of the user', () => {
  it('that ends the server while it loads serves again only after one action', async () => {
    const modelPath = place.ownModel();
    const first = place.start();
    await first.initialize({ ...PATIENT, modelPath });
    const markers = path.join(place.state, 'loading');
    while (!existsSync(markers) || !readdirSync(markers).some((name) => name.endsWith('.json'))) await delay(1);
    await die(first);

    const next = place.start();
    await next.initialize({ ...PATIENT, modelPath });
    expect(await errorOf(next)).toMatchObject({ code: 'modelCrashed', message: expect.stringContaining('own.gguf') });
    await expect.poll(async () => (await next.status()).model?.path).toBe(starterModel);
    expect(await suggestion(next)).not.toBe('');
    await next.connection.sendNotification(LOAD_NOTIFICATION, {});
    await expect.poll(async () => (await next.status()).model?.path).toBe(modelPath);
    await next.waitForState('ready');
    expect(await next.shutdown()).toBe(0);
    expect(damagedFiles(place.state)).toEqual([]);
    expect(readdirSync(markers)).toEqual([]);
  });

  it('with which the client counted too many crashes is left out', async () => {
    const modelPath = place.ownModel();
    const server = place.start();
    await server.initialize({ ...PATIENT, modelPath, crashedModel: modelPath });
    expect(await errorOf(server)).toMatchObject({ code: 'modelCrashed' });
    await expect.poll(async () => (await server.status()).model?.path).toBe(starterModel);
  });

  it('is no suspect after an orderly end in the middle of its load', async () => {
    const modelPath = place.ownModel();
    const first = place.start();
    await first.initialize({ ...PATIENT, modelPath });
    await first.waitForState('loading');
    expect(await first.shutdown()).toBe(0);
    const next = place.start();
    await next.initialize({ ...PATIENT, modelPath });
    expect((await next.waitForState('ready')).model?.path).toBe(modelPath);
  });

  it('whose header llama.cpp dies of does not end the server', async () => {
    const { metadata, ...rest } = parseGguf(readFileSync(starterModel));
    const tokens = metadata.get('tokenizer.ggml.tokens');
    if (tokens === undefined || !('values' in tokens)) throw new Error('The starter model has no tokens');
    const values = tokens.values.map((token, index) => (index === 300 ? (tokens.values[301] ?? '') : token));
    const modelPath = place.file('twins.gguf');
    writeFileSync(
      modelPath,
      serializeGguf({ ...rest, metadata: new Map([...metadata, ['tokenizer.ggml.tokens', { ...tokens, values }]]) }),
    );
    const server = place.start();
    await server.initialize({ ...PATIENT, modelPath });
    expect(await errorOf(server)).toMatchObject({
      code: 'loadFailed',
      message: expect.stringContaining('twins.gguf'),
    });
    expect(await server.shutdown()).toBe(0);
  });
});

describe('a client that is killed', () => {
  it.each([
    ['the starter model', () => ''],
    ["the user's model", () => place.ownModel()],
  ])('takes its server along, with %s', async (_name, modelPath) => {
    const pid = await orphan(modelPath());
    await expect.poll(() => isAlive(pid), { interval: 50 }).toBe(false);
    await expect.poll(() => place.processesLeft()).toEqual([]);
  });

  it.skipIf(process.platform === 'win32').each([
    ['with the addon', {}],
    ['without', { INKLING_NATIVE_DIR: '/nowhere' }],
  ])('takes its server along even if its loop is stuck, %s', async (_name, environment) => {
    const pid = await orphan('', { ...environment, NODE_OPTIONS: STUCK_ON_SIGNAL });
    await expect.poll(() => isAlive(pid), { interval: 50 }).toBe(false);
  });

  /** @returns the process id of a server whose client was killed; with Node's options its loop stands still by then */
  async function orphan(modelPath: string, environment: NodeJS.ProcessEnv = {}): Promise<number> {
    const client = spawn(process.execPath, [path.join(SUPPORT, 'servers/orphaned-server.mjs'), SERVER, modelPath], {
      env: { ...process.env, INKLING_STATE_DIR: place.state, HOME: place.home, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: client.stdout });
    const pid = Number(await once(lines, 'line').then(([line]) => line));
    expect(isAlive(pid)).toBe(true);
    if (environment.NODE_OPTIONS !== undefined) {
      process.kill(pid, 'SIGUSR2');
      await delay(100);
    }
    client.kill('SIGKILL');
    await once(client, 'exit');
    return pid;
  }
});

describe.skipIf(process.platform === 'win32')('a server whose loop stands still', () => {
  it('ends when it is asked to by SIGTERM, long before its limit', async () => {
    const server = place.start({ environment: { NODE_OPTIONS: STUCK_ON_SIGNAL } });
    await server.initialize(PATIENT);
    await server.waitForState('ready');
    server.child.kill('SIGUSR2');
    await delay(100);
    server.child.kill('SIGTERM');
    await server.exited();
    expect(server.stderr).toMatch(/it was asked to, and its JavaScript loop stands still/);
  });
});

describe('a model file that changes while it is loaded', () => {
  async function serve(): Promise<{ readonly server: ServerProcess; readonly modelPath: string }> {
    const modelPath = place.ownModel();
    const server = place.start();
    await server.initialize({ ...PATIENT, modelPath });
    await server.waitForState('ready');
    return { server, modelPath };
  }

  const reload = (server: ServerProcess, modelPath: string) =>
    server.connection.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { ...PATIENT, modelPath, contextLength: 1024 },
    });

  it('is used as it was after it is deleted, and missing at the next load', async () => {
    const { server, modelPath } = await serve();
    rmSync(modelPath);
    expect(await suggestion(server)).not.toBe('');
    await reload(server, modelPath);
    await expect.poll(async () => (await server.status()).state.kind).toBe('error');
    expect(await errorOf(server)).toMatchObject({ code: 'fileNotFound', message: expect.stringContaining('own.gguf') });
    expect(await suggestion(server)).not.toBe('');
    expect(await server.shutdown()).toBe(0);
  });

  it('is used as it was after it is replaced, and as it is at the next load', async () => {
    const { server, modelPath } = await serve();
    writeFileSync(`${modelPath}.new`, 'no model');
    renameSync(`${modelPath}.new`, modelPath);
    expect(await suggestion(server)).not.toBe('');
    await reload(server, modelPath);
    await expect.poll(async () => (await server.status()).state.kind).toBe('error');
    expect(await errorOf(server)).toMatchObject({ code: 'notGguf' });
    expect(await suggestion(server)).not.toBe('');
  });

  it('may end the server when it is truncated; the next one says why', async () => {
    const { server, modelPath } = await serve();
    truncateSync(modelPath, 2 ** 20);
    // Weights that were never read are gone with the file. Reading them ends the process.
    await Promise.race([suggestion(server).catch(() => ''), server.exited()]);
    const next = place.start();
    await next.initialize({ ...PATIENT, modelPath });
    expect(await errorOf(next)).toMatchObject({ code: 'truncatedFile', message: expect.stringContaining('own.gguf') });
    expect(await next.shutdown()).toBe(0);
    expect(damagedFiles(place.state)).toEqual([]);
  });
});

describe('the heartbeat', () => {
  it('is answered while the engine works', async () => {
    const server = place.start();
    await server.initialize({ ...PATIENT, maxTokens: 512 });
    await server.waitForState('ready');
    await generate(server);
    expect(await server.connection.sendRequest(HEARTBEAT_REQUEST)).toBeNull();
  });
});
