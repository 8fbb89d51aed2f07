import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import {
  CHECK_MODEL_REQUEST,
  LIST_MODELS_REQUEST,
  type ModelCheck,
  type ModelList,
} from '../../server/protocol/index.js';
import { sureCode } from '../support/code/sure-code.js';
import { isLeftOutDaily } from '../support/left-out-daily.js';
import { tinyGguf } from '../support/models/tiny-gguf.js';
import { ServerProcess, starterModel } from '../support/servers/server-process.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;
let server: ServerProcess;

beforeEach(async () => {
  folder = new TemporaryFolder();
  mkdirSync(folder.file('store'));
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
  await server.initialize({ threads: 1, timeBudgetMs: 60_000 });
  await server.waitForState('ready');
});
afterEach(async () => {
  await server.dispose();
  folder.dispose();
});

it('speaks the language that the client asks for', async () => {
  await server.dispose();
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
  const texts = { 'There is no model file at {0}': 'Es gibt keine Modelldatei unter {0}' };
  await server.initialize({ translations: { language: 'de', texts } });
  const path = folder.file('missing.gguf');
  const params = { storeDirectory: folder.file('store'), path };
  const check = await server.connection.sendRequest<ModelCheck>(CHECK_MODEL_REQUEST, params);
  expect(check).toMatchObject({ kind: 'refused', error: { message: `Es gibt keine Modelldatei unter ${path}` } });
});

it('lists the starter model, downloads and the catalogue', async () => {
  const own = folder.file('store/own.gguf');
  writeFileSync(own, tinyGguf());
  const params = { storeDirectory: folder.file('store') };
  const { offers, recommendedId } = await server.connection.sendRequest<ModelList>(LIST_MODELS_REQUEST, params);
  expect(offers[0]).toMatchObject({ id: 'starter', path: starterModel, capabilities: { fim: true, mtp: true } });
  expect(offers[1]).toMatchObject({ source: 'download', path: own });
  expect(offers.some(({ source }) => source === 'catalogue')).toBe(true);
  expect(offers.map(({ id }) => id)).toContain(recommendedId);
  // Another client may leave everything out.
  expect((await server.connection.sendRequest<ModelList>(LIST_MODELS_REQUEST, {})).offers[0]?.id).toBe('starter');
});

it.skipIf(isLeftOutDaily('predicted speeds'))(
  'predicts the speed of every model soon after the load, without a document or a request',
  async () => {
    const offers = async () => (await server.connection.sendRequest<ModelList>(LIST_MODELS_REQUEST, {})).offers;
    const basis = async () => (await offers())[0]?.speed.basis;
    // To ask more often would hold up the measurement.
    await expect.poll(basis, { interval: 3_000, timeout: 100_000 }).toBe('measured');
    const [starter, ...others] = await offers();
    expect(starter?.speed.tokensPerSecond).toBeGreaterThan(1);
    for (const { speed, parameterCount } of others) {
      // On a GPU the starter model is too small to say much.
      expect(['predicted', 'assumed']).toContain(speed.basis);
      expect(speed.tokensPerSecond, `${parameterCount}`).toBeLessThan(starter?.speed.tokensPerSecond ?? 0);
    }
  },
  120_000,
);

it('reports whether a file can be used, and an alternative', async () => {
  const check = (path: string) => server.connection.sendRequest<ModelCheck>(CHECK_MODEL_REQUEST, { path });
  expect(await check(starterModel)).toMatchObject({ kind: 'usable', offer: { name: expect.any(String) } });
  const page = folder.file('page.gguf');
  writeFileSync(page, '<html>');
  expect(await check(page)).toMatchObject({
    kind: 'refused',
    error: { code: 'notGguf' },
    alternative: { refusal: null },
  });
});

it('keeps the working model while another one is refused', async () => {
  const noFim = folder.file('no-fim.gguf');
  writeFileSync(noFim, tinyGguf({ tokens: ['a'] }));
  const use = (modelPath: string) =>
    server.connection.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { threads: 1, timeBudgetMs: 60_000, modelPath },
    });
  await use(noFim);
  await expect
    .poll(async () => (await server.status()).state)
    .toMatchObject({
      kind: 'error',
      error: { code: 'noFimTokens' },
    });
  expect((await server.status()).model?.path).toBe(starterModel);
  const { text, position } = sureCode('python');
  await server.open('file:///work/a.py', 'python', text);
  expect(await server.complete('file:///work/a.py', position)).toHaveLength(1);

  await use('');
  await expect.poll(async () => (await server.status()).state.kind).toBe('ready');
});
