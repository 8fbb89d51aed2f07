import assert from 'node:assert/strict';
import { commands, workspace } from 'vscode';
import type { InklingApi } from '../../../extension/src/api.js';
import { INKLING_COMMANDS } from '../../../extension/src/manifest/command-ids.js';
import {
  ACCEPT_ALL,
  acceptSuggestion,
  activateInkling,
  closeDocument,
  openDocument,
  TYPESCRIPT_SAMPLE,
  untilState,
} from './inkling.js';

describe('off', () => {
  let inkling: InklingApi;

  before(async () => {
    inkling = await activateInkling();
    await untilState(inkling, 'ready');
  });

  afterEach(async () => {
    await workspace.getConfiguration('inkling').update('enabled', undefined, true);
  });

  it('stops suggestions until it is toggled again, and keeps the server', async () => {
    const pid = inkling.serverPid();
    await commands.executeCommand(INKLING_COMMANDS.toggle);
    await untilState(inkling, 'off');
    assert.equal(await suggestion(1_500), '');

    await commands.executeCommand(INKLING_COMMANDS.toggle);
    await untilState(inkling, 'ready');
    assert.notEqual(await suggestion(40_000), '');
    assert.equal(inkling.serverPid(), pid);
  });

  async function suggestion(timeoutMs: number): Promise<string> {
    const text = await acceptSuggestion(await openDocument('typescript', TYPESCRIPT_SAMPLE), ACCEPT_ALL, timeoutMs);
    await closeDocument();
    return text;
  }
});
