import assert from 'node:assert/strict';
import { commands } from 'vscode';
import type { InklingApi } from '../../../extension/src/api.js';
import { INKLING_COMMANDS } from '../../../extension/src/manifest/command-ids.js';
import { isAlive } from '../../../server/src/util/files/is-alive.js';
import {
  ACCEPT_ALL,
  acceptSuggestion,
  activateInkling,
  closeDocument,
  openDocument,
  TYPESCRIPT_SAMPLE,
  until,
  untilState,
} from './inkling.js';

describe('the server process', () => {
  let inkling: InklingApi;

  before(async () => {
    inkling = await activateInkling();
    await untilState(inkling, 'ready');
  });

  afterEach(closeDocument);

  it('is replaced by a restart, which leaves no old one behind', async () => {
    const old = serverPid();
    await commands.executeCommand(INKLING_COMMANDS.restart);
    assert.equal(isAlive(old), false);
    await untilNewServer(old);
    assert.notEqual(await suggestion(), '');
  });

  it('survives two restarts at the same time as one', async () => {
    const old = serverPid();
    await Promise.all([
      commands.executeCommand(INKLING_COMMANDS.restart),
      commands.executeCommand(INKLING_COMMANDS.restart),
    ]);
    await untilNewServer(old);
    assert.notEqual(await suggestion(), '');
  });

  it('restarts after it was killed, and works again', async () => {
    const old = serverPid();
    process.kill(old, 'SIGKILL');
    await untilNewServer(old);
    assert.notEqual(await suggestion(), '');
  });

  it('stays down after five crashes, reports it, and restarts on demand', async function () {
    this.timeout(120_000);
    await commands.executeCommand(INKLING_COMMANDS.restart);
    let last: number | null = null;
    for (let crash = 1; crash <= 5; crash++) {
      await until(`server ${crash} runs`, () => inkling.serverPid() !== null && inkling.serverPid() !== last);
      last = serverPid();
      process.kill(last, 'SIGKILL');
    }
    await untilState(inkling, 'error');
    const { state } = inkling.status();
    assert.ok(state.kind === 'error' && state.error.message.includes('5 times'));
    assert.equal(inkling.serverPid(), null);

    await commands.executeCommand(INKLING_COMMANDS.restart);
    await untilNewServer(last);
    assert.notEqual(await suggestion(), '');
  });

  function serverPid(): number {
    const pid = inkling.serverPid();
    assert.ok(pid, 'no server runs');
    return pid;
  }

  async function untilNewServer(old: number | null): Promise<void> {
    await until('another server is ready', () => {
      const pid = inkling.serverPid();
      return pid !== null && pid !== old && inkling.status().state.kind === 'ready';
    });
  }

  async function suggestion(): Promise<string> {
    return await acceptSuggestion(await openDocument('typescript', TYPESCRIPT_SAMPLE), ACCEPT_ALL);
  }
});
