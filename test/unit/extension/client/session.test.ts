import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerListener, ServerStart } from '../../../../extension/src/client/server-life.js';
import { Session } from '../../../../extension/src/client/session.js';
import { STARTER_MODEL, servingStatus } from '../status/status-fixture.js';

const ignore = (): void => undefined;

/** One server of the session, which ends when the test says so. */
class Server {
  readonly pid = 1;
  readonly listener: ServerListener;
  readonly start: ServerStart;
  ended: () => void = ignore;

  constructor(listener: ServerListener, start: ServerStart) {
    this.listener = listener;
    this.start = start;
  }

  readonly notify = ignore;

  async request<T>(method: string): Promise<T | null> {
    return method as T;
  }

  end(): Promise<void> {
    return new Promise((resolve) => {
      this.ended = resolve;
    });
  }
}

class Cancellation {
  isCancellationRequested = false;
  listener: ((event: unknown) => unknown) | null = null;

  readonly onCancellationRequested = (listener: (event: unknown) => unknown) => {
    this.listener = listener;
    return {
      dispose: () => {
        this.listener = null;
      },
    };
  };

  cancel(): void {
    this.isCancellationRequested = true;
    this.listener?.(null);
  }
}

function openSession(ownModels: readonly string[] = []) {
  const servers: Server[] = [];
  const session = new Session({
    launch: (listener, start) => {
      const server = new Server(listener, start);
      servers.push(server);
      return server;
    },
    ownModels: () => ownModels,
    log: { info: ignore, warn: ignore, error: ignore },
    listener: { onStatus: ignore, onChatPieces: ignore, onMemorySample: ignore, onNextEdit: ignore },
  });
  const last = (): Server => {
    const server = servers.at(-1);
    if (server === undefined) throw new Error('No server was started');
    return server;
  };
  /** The running server dies with its model loaded; the next one starts. */
  const crash = (): void => {
    last().listener.onStatus(servingStatus({ kind: 'working' }));
    last().listener.onCrash();
    vi.runAllTimers();
  };
  return { session, servers, last, crash };
}

/** A server starts once the one before it has ended. */
async function expectToWait(next: Server, old: Server): Promise<void> {
  let isOver = false;
  void next.start.after.then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  old.ended();
  await next.start.after;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('lets a server start only after the last one has ended', async () => {
  const { session, servers, last } = openSession();
  session.start();
  void session.stop();
  const old = last();
  // As a changed setting does, while the old process still frees its memory.
  session.start();
  expect(servers).toHaveLength(2);
  await expectToWait(last(), old);
});

it('starts the next server only after the process of a crashed one has ended', async () => {
  const { session, servers, last, crash } = openSession();
  session.start();
  const crashed = last();
  crash();
  expect(servers).toHaveLength(2);
  await expectToWait(last(), crashed);
});

it('leaves a model out after its third crash, and tells only the next server', () => {
  const { session, servers, last, crash } = openSession([STARTER_MODEL.path]);
  session.start();
  for (let count = 0; count < 3; count += 1) crash();
  expect(servers.map(({ start }) => start.crashedModel)).toEqual([null, null, null, STARTER_MODEL.path]);
  last().listener.onCrash();
  vi.runAllTimers();
  expect(last().start.crashedModel).toBeNull();
});

it.each([-1, 1])('counts crashes whatever the clock is set to (%d days)', (days) => {
  const { session, servers, last } = openSession();
  session.start();
  for (let count = 0; count < 6 && session.status.state.kind === 'loading'; count += 1) {
    vi.setSystemTime(Date.now() + days * 86_400_000);
    last().listener.onCrash();
    vi.runAllTimers();
  }
  expect(session.status.state.kind).toBe('error');
  expect(servers).toHaveLength(5);
});

it.each([
  ['before it loads a model of the user', ['/own.gguf'], 'crashedWithModel'],
  ['with the starter model', [], 'internal'],
])('gives up a server that crashes five times %s', (_name, ownModels, code) => {
  const { session, servers, last, crash } = openSession(ownModels);
  session.start();
  for (let count = 0; count < 5; count += 1) crash();
  expect(servers).toHaveLength(5);
  expect(session.status.state).toMatchObject({ kind: 'error', error: { code } });
  // Whoever asks for it again gets one more try, not one more end.
  session.start();
  last().listener.onCrash();
  expect(session.status.state.kind).toBe('loading');
});

it('says that the next server starts as soon as the user restarts it', async () => {
  const { session, servers, last } = openSession();
  session.start();
  const old = last();
  old.listener.onStatus(servingStatus({ kind: 'ready' }));
  const restarted = session.restart();
  expect(session.status.state).toEqual({ kind: 'loading', progress: 0 });
  old.ended();
  await restarted;
  expect(servers).toHaveLength(2);
});

it('starts no server for a changed key while none is wanted, and another one where one runs', async () => {
  const { session, servers, last } = openSession();
  await session.renew();
  expect(servers).toHaveLength(0);
  expect(session.status.state.kind).toBe('off');
  session.start();
  const renewed = session.renew();
  last().ended();
  await renewed;
  expect(servers).toHaveLength(2);
});

describe('a request while no server runs', () => {
  it('waits for the restart after a crash', async () => {
    const { session, servers, last } = openSession();
    session.start();
    last().listener.onCrash();
    const answered = session.request('ask');
    expect(servers).toHaveLength(1);
    vi.runAllTimers();
    expect(await answered).toBe('ask');
    expect(servers).toHaveLength(2);
  });

  it("waits for the restart of the user's command", async () => {
    const { session, last } = openSession();
    session.start();
    const old = last();
    const restarted = session.restart();
    const answered = session.request('ask');
    old.ended();
    await restarted;
    expect(await answered).toBe('ask');
  });

  it.each([
    ['the server is stopped meanwhile', (session: Session) => session.stop()],
    ['the session ends meanwhile', (session: Session) => session.dispose()],
  ])('gets nothing where %s', async (_, end) => {
    const { session, last } = openSession();
    session.start();
    last().listener.onCrash();
    const answered = session.request('ask');
    void end(session);
    expect(await answered).toBeNull();
  });

  it('gets nothing where the session ends during a restart', async () => {
    const { session, last } = openSession();
    session.start();
    const old = last();
    void session.restart();
    const answered = session.request('ask');
    const ended = session.dispose();
    old.ended();
    await ended;
    expect(await answered).toBeNull();
  });

  it('waits no longer once it is cancelled', async () => {
    const { session, last } = openSession();
    session.start();
    last().listener.onCrash();
    const token = new Cancellation();
    const answered = session.request('ask', {}, token);
    token.cancel();
    expect(await answered).toBeNull();
    expect(token.listener).toBeNull();
  });

  it('gets nothing at once where none is about to start', async () => {
    const { session } = openSession();
    expect(await session.request('ask')).toBeNull();
  });
});
