import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { repositoryRoot, ServerProcess } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1, unloadAfterMinutes: 0 };
/** The addon with a GPU that fails when a test says so (test/native/cpp/support/fake_gpu.h). The native build makes it. */
const ADDON = path.join(repositoryRoot, 'build/test/native/cpp/fake-gpu.node');
const DOCUMENT = 'file:///work/a.ts';

let folder: TemporaryFolder;
let servers: ServerProcess[];

beforeEach(() => {
  folder = new TemporaryFolder();
  servers = [];
  mkdirSync(folder.file('native'));
  // The loader takes it for the only binary.
  copyFileSync(ADDON, folder.file('native/inkling.node'));
});
afterEach(async () => {
  for (const server of servers) await server.dispose();
  folder.dispose();
});

/** @param lostFile once it is there, the GPU is lost to the process; null for never */
async function start(lostFile: string | null): Promise<ServerProcess> {
  const server = new ServerProcess({
    environment: {
      INKLING_NATIVE_DIR: folder.file('native'),
      INKLING_STATE_DIR: folder.file('state'),
      ...(lostFile === null ? {} : { INKLING_TEST_GPU_LOST_FILE: lostFile }),
    },
  });
  servers.push(server);
  await server.initialize(PATIENT);
  return server;
}

function ask(server: ServerProcess): Promise<unknown> {
  return server.complete(DOCUMENT, { line: 0, character: 16 });
}

async function open(server: ServerProcess): Promise<void> {
  await server.open(DOCUMENT, 'typescript', 'const sum = 1 + ');
}

/** Asks until the GPU is lost and the server has ended. */
async function loseGpu(): Promise<void> {
  const lostFile = folder.file('lost');
  rmSync(lostFile, { force: true });
  const server = await start(lostFile);
  await server.waitForState('ready');
  // How many graphs the warm-up evaluates depends on the machine's speed.
  writeFileSync(lostFile, '');
  await open(server);
  let hasEnded = false;
  const ended = server.exited().then((code) => {
    hasEnded = true;
    return code;
  });
  // It uses a new context first.
  for (let attempt = 0; attempt < 50 && !hasEnded; attempt++) {
    await Promise.race([ask(server).catch(() => undefined), ended]);
  }
  expect(await ended).toBe(1);
}

const loadedOn = (server: ServerProcess): readonly string[] =>
  server.logs.flatMap((line) => /^Loaded .*\b(CPU|Fake GPU|fake)\b/i.exec(line)?.[1] ?? []);

async function errorCode(server: ServerProcess): Promise<string | null> {
  const { state } = await server.status();
  return state.kind === 'error' ? state.error.code : null;
}

describe.skipIf(!existsSync(ADDON) || isLeftOutDaily('a GPU that is lost again and again'))(
  'a GPU that is lost to one process after the other',
  () => {
    it('is left alone: the processor serves, the status says so, and the user may try again', async () => {
      await loseGpu();
      await loseGpu();

      const server = await start(null);
      await expect.poll(() => errorCode(server)).toBe('gpuGivenUp');
      expect(loadedOn(server)).toEqual(['CPU']);
      await open(server);
      await ask(server);
      expect((await server.status()).lastCompletion?.generatedTokens).toBeGreaterThan(0);
      // An answer of the processor says nothing of the GPU.
      expect(await errorCode(server)).toBe('gpuGivenUp');

      await server.tryAgain();
      await server.waitForState('ready');
      expect(loadedOn(server)).toHaveLength(2);
      expect(loadedOn(server)[1]).not.toBe('CPU');
    }, 120_000);

    it('is used again after a single loss', async () => {
      await loseGpu();
      const server = await start(null);
      await server.waitForState('ready');
      expect(loadedOn(server)).toHaveLength(1);
      expect(loadedOn(server)[0]).not.toBe('CPU');
    }, 120_000);
  },
);
