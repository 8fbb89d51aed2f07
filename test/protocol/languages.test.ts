import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver-protocol';
import {
  type CompletionSummary,
  CURSOR_NOTIFICATION,
  DECISIONS_REQUEST,
  type Decision,
} from '../../server/protocol/index.js';
import { anchorIn } from '../support/code/fixtures.js';
import { sureCode } from '../support/code/sure-code.js';
import { positionIn } from '../support/code/text-position.js';
import { ServerProcess } from '../support/servers/server-process.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1 };
const URI = 'file:///work/Settings.java';
const ASKED = { triggerKind: InlineCompletionTriggerKind.Invoked };

/** The starter model has seen no Java, but it can go on with a pattern. */
const JAVA = `final class Settings {
  Settings(Reader reader) {
    this.address = reader.read("address");
    this.browser = reader.read("browser");
    this.country = reader.read("country");
    this.details = reader.read("details");
    this.folder = 
  }
}
`;
const PLACE = positionIn(JAVA, anchorIn(JAVA, 'this.folder = ') + 'this.folder = '.length);

let server: ServerProcess;
beforeAll(async () => {
  server = new ServerProcess();
  await server.initialize(PATIENT);
  await server.waitForState('ready');
});
afterEach(async () => {
  await configure(PATIENT);
  await server.closeAll();
});
afterAll(() => server.dispose());

const configure = (settings: object) =>
  server.connection.sendNotification('workspace/didChangeConfiguration', { settings });
const lastDecision = async (): Promise<Decision | undefined> =>
  (await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST))[0];
const lastCompletion = async (): Promise<CompletionSummary | null> => (await server.status()).lastCompletion;

it('are those that the model knows, as the status says', async () => {
  const { model } = await server.status();
  expect(model).toMatchObject({
    isStarter: true,
    languages: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python'],
  });
});

it.each(['typescript', 'javascript', 'python'] as const)('get suggestions by themselves: %s', async (languageId) => {
  const { text, position, expected } = sureCode(languageId);
  const uri = `file:///work/sure.${languageId}`;
  await server.open(uri, languageId, text);
  const [item] = await server.complete(uri, position);
  expect(item?.insertText).toContain(expected);
});

it('get none by themselves if the model does not know them, and the answer says why', async () => {
  await server.open(URI, 'java', JAVA);
  const before = await lastCompletion();
  await server.connection.sendNotification(CURSOR_NOTIFICATION, { uri: URI, ...PLACE });
  expect(await server.complete(URI, PLACE)).toEqual([]);
  expect(await lastDecision()).toMatchObject({
    outcome: 'nothing',
    reason: 'languageUnknown',
    sentence: 'The starter model knows TypeScript, JavaScript and Python. Choose a model for Java.',
    engine: null,
  });
  expect(await lastCompletion()).toEqual(before);
});

it('are tried if the user asks', async () => {
  await server.open(URI, 'java', JAVA);
  const [item] = await server.complete(URI, PLACE, undefined, ASKED);
  expect(item?.insertText).toContain('reader.read(');
});

it('get suggestions by themselves if the user switched the language on', async () => {
  await configure({ ...PATIENT, languages: { '*': true, java: true } });
  await server.open(URI, 'java', JAVA);
  await server.complete(URI, PLACE);
  expect(await lastDecision()).toMatchObject({ trigger: 'automatic', engine: { generatedTokens: expect.any(Number) } });
});

it('follow a document that gets another language', async () => {
  await server.open(URI, 'java', JAVA);
  await server.complete(URI, PLACE);
  expect(await lastDecision()).toMatchObject({ reason: 'languageUnknown' });
  await server.close(URI);
  await server.open(URI, 'typescript', JAVA);
  await server.complete(URI, PLACE);
  expect(await lastDecision()).toMatchObject({ engine: { generatedTokens: expect.any(Number) } });
});
