import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver-protocol';
import {
  DECISIONS_REQUEST,
  type Decision,
  FREE_CACHES_REQUEST,
  type FreedMemory,
  LOAD_NOTIFICATION,
  MEMORY_SAMPLE_NOTIFICATION,
  type MemorySample,
  UNLOAD_REQUEST,
  UNWATCH_MEMORY_NOTIFICATION,
  WATCH_MEMORY_REQUEST,
} from '../../server/protocol/index.js';
import { sureCode } from '../support/code/sure-code.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

const URI = 'file:///work/a.ts';
const LINES = 120;
const SURE = sureCode();
const CODE = `${'export function double(value: number): number {\n  return value * 2;\n}\n'.repeat(LINES / 3)}${SURE.text}`;
const CURSOR = { ...SURE.position, line: LINES + SURE.position.line };
const ASKED = { triggerKind: InlineCompletionTriggerKind.Invoked };

/** As in completion.test.ts: the answer matters, not its latency. */
const PATIENT = { timeBudgetMs: 60_000, threads: 1, unloadAfterMinutes: 0 };

/** Converts seconds to minutes, the unit of the setting. */
const seconds = (count: number) => count / 60;

let server: ServerProcess;
let state: TemporaryFolder;

beforeEach(() => {
  state = new TemporaryFolder();
  server = new ServerProcess({ environment: { INKLING_STATE_DIR: state.path } });
});
afterEach(async () => {
  await server.dispose();
  state.dispose();
});

async function ready(settings: object = {}): Promise<void> {
  await server.initialize({ ...PATIENT, ...settings });
  await server.waitForState('ready');
  await server.open(URI, 'typescript', CODE);
}

function residentBytes(running = server): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}

async function memory() {
  const { memory: summary } = await server.status();
  if (summary === null) throw new Error('The server reports no memory');
  return summary;
}

describe('unloading', () => {
  it('frees the memory, reports it, and the next request gets its answer', async () => {
    await ready();
    const [before] = await server.complete(URI, CURSOR);
    const loaded = residentBytes();
    const { weightsBytes, mtpWeightsBytes, kvBytes } = await memory();

    const freed = await server.connection.sendRequest<FreedMemory>(UNLOAD_REQUEST);
    const { state: unloaded, model } = await server.status();
    expect(unloaded).toEqual({ kind: 'unloaded', reason: 'user' });
    expect(model?.name).toBeTruthy();
    expect(freed.beforeBytes - freed.afterBytes).toBeGreaterThan(weightsBytes + mtpWeightsBytes + kvBytes);
    expect(loaded - residentBytes()).toBeGreaterThan(weightsBytes + mtpWeightsBytes + kvBytes);
    expect(await memory()).toMatchObject({ weightsBytes: 0, kvBytes: 0, computeBytes: 0 });

    // The user unloaded the model, so keys do not bring it back.
    expect(await server.complete(URI, CURSOR)).toEqual([]);
    const [why] = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
    expect(why?.reason).toBe('modelUnloaded');
    // A request by command does.
    const [after] = await server.complete(URI, CURSOR, undefined, ASKED);
    expect(after?.insertText).toBe(before?.insertText);
    expect((await server.status()).state.kind).toBe('ready');
  });

  it('does not leak: memory stays constant over many rounds', async () => {
    await ready();
    await server.complete(URI, CURSOR);
    const round = async () => {
      await server.connection.sendRequest(UNLOAD_REQUEST);
      const left = residentBytes();
      await server.complete(URI, CURSOR, undefined, ASKED);
      expect((await server.status()).state.kind).toBe('ready');
      return left;
    };
    await round();
    const first = await round();
    const rounds = process.env.INKLING_TEST_SCALE === 'full' ? 6 : 3;
    for (let count = 0; count < rounds; count++) await round();
    // A model (35 MB) or context that stayed would count each time; JavaScript's heap varies by a few megabytes.
    expect((await round()) - first).toBeLessThan(40e6);
  });

  it('happens automatically without activity, and the next key brings the model back', async () => {
    await ready({ unloadAfterMinutes: seconds(1) });
    await server.waitForState('unloaded');
    expect((await server.status()).state).toEqual({ kind: 'unloaded', reason: 'idle' });
    expect(await server.complete(URI, CURSOR)).toHaveLength(1);
    await server.waitForState('unloaded');
    // Several requests at once, one of them aborted: none waits for ever, and there is one load.
    const answers = await Promise.all([server.complete(URI, CURSOR), server.complete(URI, CURSOR)]);
    expect(answers.flat().length).toBeGreaterThan(0);
    expect(server.logs.filter((line) => line.startsWith('Loaded '))).toHaveLength(3);
  });

  it('ends with the command to load', async () => {
    await ready();
    await server.connection.sendRequest(UNLOAD_REQUEST);
    expect((await server.status()).state.kind).toBe('unloaded');
    await server.connection.sendNotification(LOAD_NOTIFICATION, {});
    expect((await server.waitForState('ready')).state.kind).toBe('ready');
    expect(await server.complete(URI, CURSOR)).toHaveLength(1);
  });

  it('ends in order: the process closes while the model is unloaded or returns', async () => {
    await ready();
    await server.connection.sendRequest(UNLOAD_REQUEST);
    await server.connection.sendNotification(LOAD_NOTIFICATION, {});
    expect(await server.shutdown()).toBe(0);
    expect(server.stderr).toBe('');
  });
});

describe('freeing caches', () => {
  it('frees all but the weights, and the next answer is the same', async () => {
    await ready();
    const [before] = await server.complete(URI, CURSOR);
    const full = await memory();
    expect(full.checkpointBytes + full.kvBytes).toBeGreaterThan(0);
    const freed = await server.connection.sendRequest<FreedMemory>(FREE_CACHES_REQUEST);
    const lean = await memory();
    expect(lean).toMatchObject({ kvBytes: 0, recurrentBytes: 0, checkpointBytes: 0, swappedBytes: 0 });
    expect(lean.weightsBytes).toBe(full.weightsBytes);
    expect(freed.afterBytes).toBeLessThan(freed.beforeBytes);

    await server.change(URI, 2, [{ range: { start: CURSOR, end: CURSOR }, text: ' ' }]);
    await server.change(URI, 3, [
      { range: { start: CURSOR, end: { ...CURSOR, character: CURSOR.character + 1 } }, text: '' },
    ]);
    const [after] = await server.complete(URI, CURSOR, undefined, ASKED);
    expect(after?.insertText).toBe(before?.insertText);
  });

  it('is harmless while nothing is loaded', async () => {
    await server.initialize({ ...PATIENT, enabled: false });
    const { beforeBytes } = await server.connection.sendRequest<FreedMemory>(FREE_CACHES_REQUEST);
    expect(beforeBytes).toBeGreaterThan(0);
    expect((await server.connection.sendRequest<FreedMemory>(UNLOAD_REQUEST)).afterBytes).toBeGreaterThan(0);
  });
});

describe('watching', () => {
  it('sends samples only while a client watches', async () => {
    const samples: MemorySample[] = [];
    server.connection.onNotification(MEMORY_SAMPLE_NOTIFICATION, (sample: MemorySample) => void samples.push(sample));
    await ready();
    await delay(2_500);
    expect(samples).toHaveLength(0);
    const history = await server.connection.sendRequest<MemorySample[]>(WATCH_MEMORY_REQUEST);
    expect(history.length).toBeGreaterThan(0);
    await expect.poll(() => samples.length).toBeGreaterThan(2);
    const latest = samples.at(-1)?.memory;
    expect(Math.abs((latest?.processRssBytes ?? 0) - residentBytes())).toBeLessThan(20e6);
    await server.connection.sendNotification(UNWATCH_MEMORY_NOTIFICATION, {});
    await server.status();
    const sent = samples.length;
    await delay(2_500);
    expect(samples).toHaveLength(sent);
  });
});

describe('several windows', () => {
  it('know of each other, and forget those that ended or were killed', async () => {
    await ready();
    const others = [0, 1].map(() => new ServerProcess({ environment: { INKLING_STATE_DIR: state.path } }));
    try {
      for (const other of others) {
        await other.initialize(PATIENT);
        await other.waitForState('ready');
      }
      // While a client watches, the server checks more often.
      await server.connection.sendRequest(WATCH_MEMORY_REQUEST);
      await expect.poll(async () => (await memory()).windowCount).toBe(3);
      const { windowBytes, inUseBytes } = await memory();
      expect(windowBytes).toBeGreaterThan(inUseBytes);
      expect(await others[0]?.shutdown()).toBe(0);
      await others[1]?.dispose();
      await expect.poll(async () => (await memory()).windowCount).toBe(1);
    } finally {
      await Promise.all(others.map((other) => other.dispose()));
    }
  });
});
