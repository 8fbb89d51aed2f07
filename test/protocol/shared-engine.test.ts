import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CancellationTokenSource, DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  CHAT_PIECES_NOTIFICATION,
  type ChatOutcome,
  FREE_CACHES_REQUEST,
  type FreedMemory,
  LOAD_NOTIFICATION,
  UNLOAD_REQUEST,
} from '../../server/protocol/index.js';
import { sureArgument, sureBlock, sureCode } from '../support/code/sure-code.js';
import { isLeftOutDaily } from '../support/left-out-daily.js';
import { writeChatModel } from '../support/models/chat-model.js';
import { LISTING } from '../support/models/chat-templates.js';
import { type ServerProcess, starterModel } from '../support/servers/server-process.js';
import { UserPlace } from '../support/servers/user-place.js';

/** Windows of one user that share a model, however small it is. */
const SETTINGS = { threads: 1, timeBudgetMs: 60_000, contextLength: 1024, engineShare: 'on', eagerness: 'eager' };
const URI = 'file:///work/a.ts';
const SURE = sureCode();
const WINDOWS = { skip: process.platform === 'win32' };

let place: UserPlace;
let modelPath: string;
beforeEach(() => {
  place = new UserPlace();
  modelPath = place.file('chat.gguf');
  writeChatModel(starterModel, modelPath, LISTING);
});
afterEach(() => place.dispose());

async function start(settings: object = {}): Promise<ServerProcess> {
  const server = place.start();
  await server.initialize({ ...SETTINGS, modelPath, ...settings });
  return server;
}

async function ready(settings: object = {}): Promise<ServerProcess> {
  const server = await start(settings);
  await server.waitForState('ready');
  return server;
}

/** Owners are those that have made an engine of their own. */
const loads = (server: ServerProcess) => server.logs.filter((line) => line.startsWith('Engine: llama.cpp')).length;
const isGuest = (server: ServerProcess) => server.logs.some((line) => line.includes('another window has loaded'));

async function complete(server: ServerProcess, { text, position } = SURE): Promise<unknown> {
  await server.open(URI, 'typescript', text);
  const [item] = await server.complete(URI, position);
  await server.close(URI);
  return item?.insertText ?? null;
}

async function ask(server: ServerProcess, text: string, maxTokens: number, source = new CancellationTokenSource()) {
  const params = { id: text, messages: [{ role: 'user', text }], temperature: 0, maxTokens };
  return server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, params, source.token);
}

/** Resolves when the first words of an answer have come. */
function firstPiece(server: ServerProcess): Promise<void> {
  return new Promise((resolve) => server.connection.onNotification(CHAT_PIECES_NOTIFICATION, () => resolve()));
}

const offers = () => readdirSync(path.join(place.home, 'inkling'));
const offered = (kind: string) => {
  const name = offers().find((each) => each.endsWith(`.${kind}`));
  if (name === undefined) throw new Error(`There is no ${kind} among ${offers().join(', ')}`);
  return path.join(place.home, 'inkling', name);
};

describe('three windows', () => {
  it('load a model once, and get the answers that each would get alone', async () => {
    const alone = await ready({ engineShare: 'off' });
    const expected = [await complete(alone), await complete(alone, sureArgument()), await complete(alone, sureBlock())];
    const talk = await ask(alone, 'What is this?', 16);
    expect(expected[0]).toContain(SURE.expected);
    expect(existsSync(path.join(place.home, 'inkling'))).toBe(false);
    await alone.shutdown();

    const owner = await ready();
    const guests = [await ready(), await ready()];
    expect([owner, ...guests].map(loads)).toEqual([1, 0, 0]);
    expect(guests.every(isGuest)).toBe(true);
    // Twice, in turns: the prompts of all windows stay useful.
    for (const server of [owner, ...guests, ...guests, owner]) {
      expect(await complete(server)).toEqual(expected[0]);
      expect(await complete(server, sureArgument())).toEqual(expected[1]);
      expect(await complete(server, sureBlock())).toEqual(expected[2]);
    }
    for (const server of [owner, ...guests]) {
      const answered = await ask(server, 'What is this?', 16);
      expect(answered).toMatchObject({
        kind: 'answered',
        answer: { text: talk.kind === 'answered' ? talk.answer.text : '' },
      });
    }
    const [{ model, lastCompletion }, { model: own }] = await Promise.all([guests[0]!.status(), owner.status()]);
    expect(model).toEqual(own);
    expect(lastCompletion?.promptTokens).toBeGreaterThan(20);
  });

  it('resolve to one owner when they start at once', async () => {
    const servers = await Promise.all([ready(), ready(), ready()]);
    expect(servers.map(loads).sort()).toEqual([0, 0, 1]);
    expect(await Promise.all(servers.map((server) => complete(server)))).toEqual(Array(3).fill(expect.anything()));
  });

  it('count the memory once', async () => {
    const [owner, guest] = [await ready(), await ready()];
    const [{ memory: whole }, { memory: part }] = await Promise.all([owner.status(), guest.status()]);
    expect(whole).toMatchObject({ elsewhereBytes: 0, weightsBytes: expect.any(Number) });
    expect(whole?.weightsBytes).toBeGreaterThan(30e6);
    // Known as soon as it is ready.
    expect(part?.elsewhereBytes).toBeGreaterThan(30e6);
    expect(part).toMatchObject({ weightsBytes: 0, kvBytes: 0, recurrentBytes: 0, computeBytes: 0 });
    expect(part?.inUseBytes).toBe(part?.processRssBytes);
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${guest.pid}/maps`, 'utf8')).not.toContain('.gguf');
      await expect.poll(async () => (await owner.status()).memory?.windowCount).toBe(2);
      const { memory: sum } = await owner.status();
      const { memory: other } = await guest.status();
      expect(sum?.windowBytes).toBeLessThan((sum?.inUseBytes ?? 0) + (other?.inUseBytes ?? 0) * 1.3);
    }
    // The user's command reaches the engine, wherever it is.
    await guest.connection.sendRequest(FREE_CACHES_REQUEST);
    expect((await owner.status()).memory?.swappedBytes).toBe(0);
  });
});

describe('a window that ends', () => {
  it('takes nothing with it where it is a guest', async () => {
    const [owner, guest] = [await ready(), await ready()];
    ask(guest, 'Go on.', 600).catch(() => null);
    await firstPiece(guest);
    guest.child.kill('SIGKILL');
    await guest.exited();
    expect(await complete(owner)).toContain(SURE.expected);
    await owner.waitForState('ready');
  });

  it.each(['SIGKILL', 'shutdown'] as const)(
    'by %s in a generation leaves its model to one of the others',
    async (end) => {
      const owner = await ready();
      const guests = [await ready(), await ready()];
      const [first, second] = guests as [ServerProcess, ServerProcess];
      const before = await complete(second);
      const pending = ask(first, 'Go on.', 600);
      await firstPiece(first);
      if (end === 'SIGKILL') owner.child.kill('SIGKILL');
      else await owner.shutdown();
      await owner.exited();
      // It is no error of the model, and the same question is answered again.
      const outcome = await pending.catch((error: Error) => error);
      expect(JSON.stringify(outcome instanceof Error ? outcome.message : outcome)).toMatch(/has ended. Try again/);
      await expect.poll(() => guests.map(loads).sort()).toEqual([0, 1]);
      await Promise.all(guests.map((server) => server.waitForState('ready')));
      expect(await complete(second)).toEqual(before);
      expect(await ask(first, 'What is this?', 4)).toMatchObject({ kind: 'answered' });
      expect(guests.map(loads).sort()).toEqual([0, 1]);
    },
  );

  it('leaves nothing behind where it was the last', async () => {
    const [owner, guest] = [await ready(), await ready()];
    expect(offers()).toHaveLength(process.platform === 'win32' ? 2 : 3);
    await guest.shutdown();
    await owner.shutdown();
    expect(offers()).toEqual([]);
  });

  it('leaves files that the next owner replaces, where it was killed', WINDOWS, async () => {
    const owner = await ready();
    const key = readFileSync(offered('key'), 'utf8');
    owner.child.kill('SIGKILL');
    await owner.exited();
    const next = await ready();
    expect(loads(next)).toBe(1);
    expect(readFileSync(offered('key'), 'utf8')).not.toBe(key);
    expect(isGuest(await ready())).toBe(true);
  });
});

describe('an owner that hangs', () => {
  it.skipIf(process.platform === 'win32' || isLeftOutDaily('an owner that hangs'))(
    'is left, and a guest loads the model for itself',
    async () => {
      const [owner, guest] = [await ready(), await ready()];
      owner.child.kill('SIGSTOP');
      await expect.poll(() => loads(guest), { timeout: 60_000 }).toBe(1);
      await guest.waitForState('ready');
      expect(await complete(guest)).toContain(SURE.expected);
      expect(guest.logs.join('\n')).toMatch(/its owner no longer answers/);
    },
  );
});

describe('an owner that needs its model no longer', () => {
  it('keeps it while others use it, and takes it up again', async () => {
    const [owner, guest] = [await ready(), await ready()];
    const freed = await owner.connection.sendRequest<FreedMemory>(UNLOAD_REQUEST);
    const { state, memory } = await owner.status();
    expect(state).toEqual({ kind: 'unloaded', reason: 'user' });
    expect(freed.keptBytes).toBeGreaterThan(30e6);
    expect(memory).toMatchObject({ weightsBytes: 0, keptBytes: expect.any(Number) });
    expect(memory?.keptBytes).toBeGreaterThan(30e6);
    expect(await complete(guest)).toContain(SURE.expected);
    await owner.connection.sendNotification(LOAD_NOTIFICATION, {});
    await owner.waitForState('ready');
    expect((await owner.status()).memory?.keptBytes).toBe(0);
    expect(await complete(owner)).toContain(SURE.expected);
    expect([loads(owner), loads(guest)]).toEqual([1, 0]);
  });

  it.skipIf(isLeftOutDaily('a shared model after its last guest'))(
    'frees it when the last guest has left',
    async () => {
      const [owner, guest] = [await ready(), await ready()];
      await owner.connection.sendRequest(UNLOAD_REQUEST);
      await guest.connection.sendRequest(UNLOAD_REQUEST);
      await expect.poll(offers).toEqual([]);
      if (process.platform === 'linux') {
        const maps = () => readFileSync(`/proc/${owner.pid}/maps`, 'utf8');
        await expect.poll(maps).not.toContain('.gguf');
      }
    },
  );

  it('keeps it beside the model that its settings name now', async () => {
    const [owner, guest] = [await ready(), await ready()];
    const settings = { ...SETTINGS, engineShare: 'off', modelPath: place.ownModel() };
    await owner.connection.sendNotification(DidChangeConfigurationNotification.type, { settings });
    await expect.poll(async () => (await owner.status()).model?.path).toBe(place.ownModel());
    await owner.waitForState('ready');
    expect(await complete(guest)).toContain(SURE.expected);
    expect(await complete(owner)).toContain(SURE.expected);
    expect([loads(owner), loads(guest)]).toEqual([2, 0]);
  });
});

describe('windows that differ', () => {
  it.skipIf(isLeftOutDaily('windows with other settings'))(
    'by threads, context, budget, the setting, or the default with a small model, do not share',
    async () => {
      const owner = await ready();
      for (const settings of [
        { threads: 2 },
        { contextLength: 2048 },
        { memoryBudgetGb: 3 },
        { engineShare: 'off' },
        { engineShare: 'auto' },
      ]) {
        const other = await ready(settings);
        expect([settings, loads(owner), loads(other), isGuest(other)]).toEqual([settings, 1, 1, false]);
        expect(await other.shutdown()).toBe(0);
      }
    },
  );

  it('by another file with the same path do not share', async () => {
    const first = await ready();
    writeChatModel(starterModel, place.file('other.gguf'));
    renameSync(place.file('other.gguf'), modelPath);
    const second = await ready();
    expect([loads(first), loads(second)]).toEqual([1, 1]);
  });
});

describe('an abort', () => {
  it('of a guest ends the generation in the owner', async () => {
    const [owner, guest] = [await ready(), await ready()];
    const source = new CancellationTokenSource();
    const pending = ask(guest, 'Go on.', 600, source);
    await firstPiece(guest);
    source.cancel();
    const outcome = await pending;
    expect(outcome).toMatchObject({ kind: 'answered', answer: { ending: 'stopped' } });
    await guest.waitForState('ready');
    // The engine is free at once: 600 tokens would take far longer than one suggestion.
    expect(await complete(owner)).toContain(SURE.expected);
  });

  it('is not needed for a suggestion to go before the chat of another window', async () => {
    const [owner, guest] = [await ready(), await ready()];
    let isAnswered = false;
    void ask(owner, 'Go on.', 500).finally(() => {
      isAnswered = true;
    });
    await firstPiece(owner);
    expect(await complete(guest)).toContain(SURE.expected);
    expect(isAnswered).toBe(false);
    await owner.waitForState('ready');
  });
});

describe("what is not this user's alone", () => {
  const isRoot = process.getuid?.() === 0;
  const NOBODY = 65_534;

  it('has modes that keep others out', WINDOWS, async () => {
    await ready();
    expect(statSync(path.join(place.home, 'inkling')).mode & 0o777).toBe(0o700);
    for (const kind of ['sock', 'key']) expect(statSync(offered(kind)).mode & 0o777).toBe(0o600);
  });

  it.skipIf(!isRoot).each(['sock', 'key'])(
    'is refused where another user owns the %s (needs root to make one)',
    async (kind) => {
      const owner = await ready();
      chownSync(offered(kind), NOBODY, NOBODY);
      const other = await ready();
      expect([loads(owner), loads(other)]).toEqual([1, 1]);
      expect(isGuest(other)).toBe(false);
      expect(other.logs.join('\n')).toMatch(/not shared with other windows: .* belongs to user 65534/);
    },
  );

  it.each(['sock', 'key'])('is refused where others may open the %s', WINDOWS, async (kind) => {
    const owner = await ready();
    chmodSync(offered(kind), 0o666);
    const other = await ready();
    expect([loads(owner), loads(other)]).toEqual([1, 1]);
    expect(other.logs.join('\n')).toMatch(/is open to other users \(mode 666\)/);
  });

  it('is refused where others may open the folder', WINDOWS, async () => {
    const folder = path.join(place.home, 'inkling');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const [first, second] = [await ready(), await ready()];
    expect([loads(first), loads(second)]).toEqual([1, 1]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(!isRoot)('is refused where another user owns the folder (needs root to make one)', async () => {
    const folder = path.join(place.home, 'inkling');
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, NOBODY, NOBODY);
    const server = await ready();
    expect(loads(server)).toBe(1);
    expect(server.logs.join('\n')).toMatch(/inkling belongs to user 65534/);
  });
});

describe('an owner that does not answer as one', () => {
  let impostor: Server | null = null;
  afterEach(() => void impostor?.close());

  it.each([
    ['says nothing', ''],
    ['sends garbage', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['announces a huge frame', Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ])('%s: the window loads the model itself', WINDOWS, async (_name, bytes) => {
    const owner = await ready();
    const socket = offered('sock');
    // The lock stays with a process that lives and does not answer.
    owner.child.kill('SIGSTOP');
    rmSync(socket);
    impostor = createServer((connection) => {
      connection.on('error', () => undefined);
      connection.write(bytes);
    });
    await new Promise<void>((resolve) => impostor?.listen(socket, resolve));
    chmodSync(socket, 0o600);
    const server = await ready();
    expect(loads(server)).toBe(1);
    expect(await complete(server)).toContain(SURE.expected);
  });
});
