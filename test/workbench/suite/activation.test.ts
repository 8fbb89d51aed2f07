import assert from 'node:assert/strict';
import { commands } from 'vscode';
import { INKLING_COMMANDS } from '../../../extension/src/manifest/command-ids.js';
import { ACCEPTED_COMMAND } from '../../../server/protocol/index.js';
import { activateInkling, untilState } from './inkling.js';

/** About ten times what activation takes on two idle cores, so that a busy machine passes. */
const MOST_ACTIVATION_MS = 250;

describe('activation', () => {
  it('leaves the work to later turns', async () => {
    const { activationMs } = await activateInkling();
    assert.ok(activationMs < MOST_ACTIVATION_MS, `took ${activationMs.toFixed(1)} ms of the processor`);
  });

  it('registers every command', async () => {
    await activateInkling();
    const registered = new Set(await commands.getCommands(true));
    const missing = [...Object.values(INKLING_COMMANDS), ACCEPTED_COMMAND].filter((id) => !registered.has(id));
    assert.deepEqual(missing, []);
  });

  it('leads to a server with the starter model', async () => {
    const inkling = await activateInkling();
    await untilState(inkling, 'ready');
    const { model, memory } = inkling.status();
    assert.ok(inkling.serverPid());
    assert.ok(model, 'the status names no model');
    assert.equal(model.chat, false);
    assert.ok(memory && memory.processRssBytes > (model.fileBytes ?? 0) / 2, 'the status names no memory');
  });
});
