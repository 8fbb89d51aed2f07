import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../../server/src/util/files/is-alive.js';
import { type DriverFault, faultyGpu, lacksSoftwareGpu, madeDriver } from '../../support/faults/software-gpu.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { attentionModel } from '../../support/models/attention-model.js';
import { probe } from '../../support/servers/probe.js';
import { ServerProcess, serverBundle } from '../../support/servers/server-process.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const DOCUMENT = 'file:///work/a.ts';
/** Compiling kernels takes llvmpipe seconds, and a busy machine much longer. */
const PATIENCE = { timeout: 120_000 };

let folder: TemporaryFolder;
let servers: ServerProcess[];

beforeEach(() => {
  folder = new TemporaryFolder();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.dispose();
  folder.dispose();
});

async function start(environment: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const server = new ServerProcess({ environment: { ...environment, INKLING_STATE_DIR: folder.file('state') } });
  servers.push(server);
  const settings = { timeBudgetMs: 60_000, threads: 1, contextLength: 1024, unloadAfterMinutes: 0 };
  await server.initialize({ modelPath: await attentionModel(), device: 'llvmpipe', ...settings });
  return server;
}

async function situation(server: ServerProcess) {
  const { state, memory } = await server.status();
  return { gpus: memory?.gpus.length ?? null, problem: state.kind === 'error' ? state.error.code : null };
}

const ON_GPU = { gpus: 1, problem: null };

async function suggest(server: ServerProcess): Promise<void> {
  await server.open(DOCUMENT, 'typescript', 'const sum = 1 + ');
  await server.complete(DOCUMENT, { line: 0, character: 16 });
}

const IS_LEFT_OUT = isLeftOutDaily('a GPU that fails') || lacksSoftwareGpu('a GPU that fails') !== null;

describe.skipIf(IS_LEFT_OUT)('a GPU', () => {
  it('that fails its trial, whether it crashes, hangs or says so, costs the device and no more', async () => {
    const { environment, fail } = faultyGpu(folder.file(''));
    const tried = async (limitMs = 120_000) => (await probe(environment, { triesAll: true, limitMs })).devices;
    const failed = (reason: string) => [
      expect.objectContaining({ trial: { kind: 'failed', reason: expect.stringContaining(reason) } }),
    ];
    fail('crash');
    expect(await tried()).toEqual(failed('SIGABRT'));
    fail('lost');
    expect(await tried()).toEqual(failed('Vulkan0'));
    fail('full');
    expect(await tried()).toEqual(failed('memory'));
    fail('hang');
    expect(await tried(15_000)).toEqual(failed('took too long'));
  }, 300_000);

  it('without memory for the load leaves it to the processor, until the user tries again', async () => {
    const { environment, fail } = faultyGpu(folder.file(''));
    fail('full --stdio');
    const server = await start(environment);
    await expect.poll(() => situation(server), PATIENCE).toEqual({ gpus: 0, problem: 'deviceUnusable' });
    await suggest(server);
    expect((await server.status()).lastCompletion?.generatedTokens).toBeGreaterThan(0);
    // An answer does not make the GPU usable.
    expect(await situation(server)).toEqual({ gpus: 0, problem: 'deviceUnusable' });

    fail('');
    await server.tryAgain();
    await expect.poll(() => situation(server), PATIENCE).toEqual(ON_GPU);
  }, 300_000);

  it('whose driver ends servers while it generates is left alone, until the user tries again', async () => {
    const { environment, fail } = faultyGpu(folder.file(''));
    const endAtWork = async () => {
      const server = await start(environment);
      await expect.poll(() => situation(server), PATIENCE).toEqual(ON_GPU);
      fail('crash --stdio');
      const ended = server.exited();
      await Promise.race([suggest(server).catch(() => undefined), ended]);
      await ended;
      expect(server.child.signalCode).toBe('SIGABRT');
      fail('');
    };
    await endAtWork();
    await endAtWork();
    const server = await start(environment);
    await expect.poll(() => situation(server), PATIENCE).toEqual({ gpus: 0, problem: 'gpuGivenUp' });
    await suggest(server);
    expect((await server.status()).lastCompletion?.generatedTokens).toBeGreaterThan(0);

    await server.tryAgain();
    await expect.poll(() => situation(server), PATIENCE).toEqual(ON_GPU);
    await suggest(server);
    expect(await situation(server)).toEqual(ON_GPU);
  }, 600_000);

  it.each<[string, DriverFault]>([
    ['starts', 'start --stdio'],
    ['computes first', 'crash --stdio'],
  ])(
    'whose driver ends servers while it %s in them is left alone',
    async (_when, fault) => {
      const { environment, fail } = faultyGpu(folder.file(''));
      const first = await start(environment);
      await expect.poll(() => situation(first), PATIENCE).toEqual(ON_GPU);
      expect(await first.shutdown()).toBe(0);
      // The probe and the estimates were and are all right.
      fail(fault);
      for (let count = 0; count < 2; count += 1) {
        const ended = await start(environment);
        await ended.exited();
        expect(ended.child.signalCode).toBe('SIGABRT');
      }
      const server = await start(environment);
      await expect.poll(() => situation(server), PATIENCE).toEqual({ gpus: 0, problem: 'gpuGivenUp' });
    },
    600_000,
  );
});

const HANGS = '#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { for (;;) pause(); }\n';

/** Of the processes that this one has started with an argument. */
function childrenOf(parent: number, argument: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const isChild = new RegExp(`^PPid:\\s+${parent}$`, 'm').test(status);
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument);
      } catch {
        // It has ended.
        return false;
      }
    });
}

describe.skipIf(lacksSoftwareGpu('helpers that a driver holds') !== null)('a helper', () => {
  it('ends with a server that is killed, although its driver hangs', async () => {
    const environment = {
      ...process.env,
      ...madeDriver(folder.file(''), HANGS),
      INKLING_STATE_DIR: folder.file('state'),
    };
    for (const [argument, ...rest] of [['--devices'], ['--estimates']] as const) {
      const parent = spawn(process.execPath, ['-e', HELPER_STARTER, serverBundle, argument, ...rest], {
        env: environment,
      });
      const parentId = parent.pid ?? 0;
      await expect.poll(() => childrenOf(parentId, argument).length, PATIENCE).toBe(1);
      const [helper = 0] = childrenOf(parentId, argument);
      // The driver's library is in its memory by now, so the loop stands still.
      await expect.poll(() => readFileSync(`/proc/${helper}/maps`, 'utf8'), PATIENCE).toContain('driver.so');
      parent.kill('SIGKILL');
      await expect.poll(() => isAlive(helper), PATIENCE).toBe(false);
    }
  }, 300_000);
});

/** As the server starts its helpers. The one for estimates starts a driver with its first question. */
const HELPER_STARTER = `
const [program, argument] = process.argv.slice(1);
const child = require('node:child_process').fork(program, [argument], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
child.on('message', () => child.send({ options: { path: '/none.gguf', device: 'Vulkan0' } }));
setInterval(() => undefined, 1000);
`;
