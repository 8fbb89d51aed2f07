import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import {
  CHECK_MODEL_REQUEST,
  LIST_MODELS_REQUEST,
  type MemorySummary,
  type ModelCheck,
  type ModelList,
} from '../../server/protocol/index.js';
import { attentionModel } from '../support/attention-model.js';
import { writeChatModel } from '../support/chat-model.js';
import { ServerProcess, starterModel } from '../support/server-process.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1, unloadAfterMinutes: 0 };
const URI = 'file:///work/a.ts';
const CODE = 'export function double(value: number): number {\n  return ';

let folder: TemporaryFolder;
let server: ServerProcess;

beforeEach(() => {
  folder = new TemporaryFolder();
  mkdirSync(folder.file('store'));
  server = new ServerProcess({ environment: { HOME: folder.path, USERPROFILE: folder.path } });
});
afterEach(async () => {
  await server.dispose();
  folder.dispose();
});

async function start(settings: object): Promise<void> {
  await server.initialize({ ...PATIENT, ...settings });
  await server.waitForState('ready');
  await server.open(URI, 'typescript', CODE);
}

function change(settings: object): Promise<void> {
  return server.connection.sendNotification(DidChangeConfigurationNotification.type, {
    settings: { ...PATIENT, ...settings },
  });
}

async function suggestions() {
  return await server.complete(URI, { line: 1, character: 9 });
}

async function memory(): Promise<MemorySummary> {
  const { memory: summary } = await server.status();
  if (summary === null) throw new Error('The server reports no memory');
  return summary;
}

const loads = () => server.logs.filter((line) => line.startsWith('Loaded ')).length;

describe('what the picker says', () => {
  it.each([
    ['the starter model', async () => starterModel],
    ['a model that chats', async () => chatModel()],
    ['a model of attention only', attentionModel],
  ])('of %s is what the status says after the load', async (_name, make) => {
    const modelPath = await make();
    await server.initialize({ ...PATIENT, enabled: false });
    await server.open(URI, 'typescript', CODE);
    const check = await server.connection.sendRequest<ModelCheck>(CHECK_MODEL_REQUEST, { path: modelPath });
    if (check.kind !== 'usable') throw new Error(check.error.message);
    const { offers } = await server.connection.sendRequest<ModelList>(LIST_MODELS_REQUEST, {});
    await change({ modelPath });
    await server.waitForState('ready');
    console.log(check.offer.memoryBytes/1e6, await memory());
    const { inUseBytes } = await memory();
    expect(Math.abs(check.offer.memoryBytes / inUseBytes - 1)).toBeLessThan(0.1);
    const listed = offers.find(({ path }) => path === modelPath);
    if (modelPath === starterModel) {
      expect(Math.abs((listed?.memoryBytes ?? 0) / inUseBytes - 1)).toBeLessThan(0.1);
    }
    // Once it has worked as well.
    await suggestions();
    expect(Math.abs(check.offer.memoryBytes / (await memory()).inUseBytes - 1)).toBeLessThan(0.1);
  });

  function chatModel(): string {
    const file = folder.file('chat.gguf');
    writeChatModel(starterModel, file);
    return file;
  }
});
