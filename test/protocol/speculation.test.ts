import { afterAll, beforeAll, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import type { SpeculationMode } from '../../server/protocol/index.js';
import { sureCode } from '../support/code/sure-code.js';
import { ServerProcess } from '../support/servers/server-process.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1 };
const { text: TEXT, position: PLACE } = sureCode();

let server: ServerProcess;

beforeAll(async () => {
  server = new ServerProcess();
  await server.initialize(PATIENT);
  await server.waitForState('ready');
});
afterAll(() => server.dispose());

/** What the engine did for a suggestion in a document of its own. */
async function drafts(speculation: SpeculationMode) {
  const settings = { ...PATIENT, speculation };
  await server.connection.sendNotification(DidChangeConfigurationNotification.type, { settings });
  const uri = `file:///work/${speculation}.ts`;
  await server.open(uri, 'typescript', TEXT);
  const latency = async () => (await server.status()).lastCompletion?.latencyMs;
  const before = await latency();
  await server.complete(uri, PLACE);
  // On a busy machine a part of the suggestion is shown before its generation ends.
  await expect.poll(latency).not.toBe(before);
  const { lastCompletion } = await server.status();
  return { drafted: lastCompletion?.draftedTokens, accepted: lastCompletion?.acceptedDraftTokens };
}

it('drafts nothing when it is off', async () => {
  expect(await drafts('off')).toEqual({ drafted: 0, accepted: 0 });
});

it('accepts every draft of the MTP head when it is optimistic', async () => {
  const { drafted, accepted } = await drafts('optimistic');
  expect(drafted).toBeGreaterThan(0);
  expect(accepted).toBe(drafted);
});
