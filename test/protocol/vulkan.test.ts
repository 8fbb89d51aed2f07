import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NATIVE_DIRECTORY } from '../support/addon.js';
import { lacksSoftwareGpu, madeDriver, softwareGpu } from '../support/faults/software-gpu.js';
import { isLeftOutDaily } from '../support/left-out-daily.js';
import { attentionModel } from '../support/models/attention-model.js';
import { probe } from '../support/servers/probe.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

const DOCUMENT = 'file:///work/a.ts';
const LLVMPIPE = { name: expect.stringContaining('llvmpipe'), kind: 'cpu' };

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

async function start(environment: NodeJS.ProcessEnv, device: string): Promise<ServerProcess> {
  const server = new ServerProcess({ environment: { ...environment, INKLING_STATE_DIR: folder.file('state') } });
  servers.push(server);
  const modelPath = await attentionModel();
  await server.initialize({ modelPath, device, timeBudgetMs: 60_000, threads: 1, contextLength: 1024 });
  return server;
}

const ANSWERS_ARE_LEFT_OUT = isLeftOutDaily('a server that completes on llvmpipe');

describe.skipIf(lacksSoftwareGpu('the server on llvmpipe') !== null)('a server with a Vulkan device', () => {
  it.skipIf(ANSWERS_ARE_LEFT_OUT)(
    'completes on the device that the settings name, and reports its memory',
    async () => {
      const server = await start(softwareGpu(folder.file('')), 'llvmpipe');
      const onDevice = async () => (await server.status()).memory?.gpus ?? [];
      // It loads for the processor until the devices are known.
      await expect.poll(onDevice, { timeout: 120_000 }).toMatchObject([{ name: LLVMPIPE.name }]);
      await server.waitForState('ready');
      await server.open(DOCUMENT, 'typescript', 'const sum = 1 + ');
      await server.complete(DOCUMENT, { line: 0, character: 16 });
      const [gpu] = await onDevice();
      expect(gpu?.heldBytes).toBeGreaterThan(1e6);
      expect(gpu?.totalBytes).toBeGreaterThan(0);
      expect((await server.status()).lastCompletion).not.toBeNull();

      // What the first server found counts for the next one.
      const next = await start(softwareGpu(folder.file('')), 'llvmpipe');
      await expect.poll(async () => (await next.status()).memory?.gpus, { timeout: 120_000 }).toHaveLength(1);
    },
  );

  it('uses the processor by itself, where the only device computes on the processor', async () => {
    const server = await start(softwareGpu(folder.file('')), 'auto');
    await server.waitForState('ready');
    await expect.poll(() => server.logs.join('\n')).toContain('used only if the settings name it');
    expect((await server.status()).memory?.gpus).toEqual([]);
  });

  it('serves on the processor, and says so, where the driver crashes', async () => {
    const server = await start(madeDriver(folder.file(''), CRASHES), 'llvmpipe');
    const message = async () => {
      const { state } = await server.status();
      return state.kind === 'error' ? state.error : state.kind;
    };
    await expect.poll(message, { timeout: 60_000 }).toMatchObject({ code: 'deviceUnknown' });
    await server.open(DOCUMENT, 'typescript', 'const sum = 1 + ');
    await server.complete(DOCUMENT, { line: 0, character: 16 });
    expect((await server.status()).lastCompletion).not.toBeNull();
  });
});

const CRASHES = '#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\n';
const HANGS = '#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { for (;;) pause(); }\n';

describe.skipIf(lacksSoftwareGpu('the probe of devices') !== null)('the probe', () => {
  it('lists the devices, and tries only those that may be used without being named', async () => {
    expect(await probe(softwareGpu(folder.file('')))).toEqual({
      devices: [expect.objectContaining({ ...LLVMPIPE, trial: { kind: 'untried' } })],
      problem: null,
    });
  });

  it.skipIf(isLeftOutDaily('the trial of llvmpipe'))('tries a device', async () => {
    const environment = softwareGpu(folder.file(''));
    const tried = { kind: 'works', deviceMs: expect.any(Number), cpuMs: expect.any(Number) };
    expect(await probe(environment, { triesAll: true, limitMs: 120_000 })).toEqual({
      devices: [expect.objectContaining({ ...LLVMPIPE, trial: tried })],
      problem: null,
    });
  });

  it('finds nothing without a driver', async () => {
    expect(await probe({ VK_DRIVER_FILES: folder.file('none.json') })).toEqual({ devices: [], problem: null });
  });

  it('finds nothing on a machine without libvulkan', async () => {
    mkdirSync(folder.file('native'));
    const library = readFileSync(path.join(NATIVE_DIRECTORY, 'inkling-vulkan.node'), 'latin1');
    const renamed = library.replace('libvulkan.so.1', 'libnothing.so1');
    writeFileSync(folder.file('native/inkling-vulkan.node'), renamed, 'latin1');
    const found = await probe({ INKLING_NATIVE_DIR: folder.file('native') });
    expect(found).toEqual({ devices: [], problem: expect.stringContaining('libnothing.so1') });
  });

  it('survives a driver that crashes, or hangs', async () => {
    const crashed = await probe(madeDriver(folder.file(''), CRASHES));
    expect(crashed).toEqual({ devices: [], problem: expect.stringContaining('SIGABRT') });
    const hung = await probe(madeDriver(folder.file(''), HANGS), { limitMs: 3_000 });
    expect(hung).toEqual({ devices: [], problem: 'took too long' });
  });
});
