import assert from 'node:assert/strict';
import { commands, workspace } from 'vscode';
import type { InklingApi } from '../../../extension/src/api.js';
import { INKLING_COMMANDS } from '../../../extension/src/command-ids.js';
import {
  ACCEPT_ALL,
  acceptSuggestion,
  activateInkling,
  closeDocument,
  openDocument,
  TYPESCRIPT_SAMPLE,
  untilState,
} from './inkling.js';

describe('pause', () => {
  let inkling: InklingApi;

  before(async () => {
    inkling = await activateInkling();
    await untilState(inkling, 'ready');
  });

  afterEach(async () => {
    await closeDocument();
    await workspace.getConfiguration('inkling').update('enabled', undefined, true);
  });

  it('stops suggestions until it is toggled again, and keeps the server', async () => {
    const pid = inkling.serverPid();
    const editor = await openDocument('typescript', TYPESCRIPT_SAMPLE);
    await commands.executeCommand(INKLING_COMMANDS.toggle);
    await untilState(inkling, 'paused');
    assert.equal(await acceptSuggestion(editor, ACCEPT_ALL, 1_500), '');

    await commands.executeCommand(INKLING_COMMANDS.toggle);
    await untilState(inkling, 'ready');
    assert.notEqual(await acceptSuggestion(editor, ACCEPT_ALL), '');
    assert.equal(inkling.serverPid(), pid);
  });
});
