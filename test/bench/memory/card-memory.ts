import { availableParallelism } from 'node:os';
import type { NativeDeviceMemory, NativeLoadOptions } from '../../../server/src/engine/addon/addon-types.js';
import { loadGpuAddon } from '../../../server/src/engine/addon/load-addon.js';
import { NATIVE_DIRECTORY } from '../../support/addon.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { median, round } from '../measure/statistics.js';
import { LlamaServer } from '../peer/llama-server.js';
import { residentMemory } from './resident-memory.js';

const CONTEXT_LENGTH = 8192;
const ANSWER_TOKENS = 64;

interface CardLoad {
  readonly estimatedBytes: number;
  readonly reportedBytes: number;
  /** What the card's driver says is gone, after the load, after a prompt that fills the context, and after closing. */
  readonly loadedBytes: number;
  readonly heldBytes: number;
  readonly residueBytes: number;
  /** Growth of the process's own memory over the whole, and what the report says lies there. */
  readonly hostBytes: number;
  readonly reportedHostBytes: number;
}

/**
 * What the engine holds on a GPU, by its driver, beside the report, the estimate, and llama-server with the same
 * context and prompt. `runs` loads one after the other, after one that is not counted, since it also starts the driver.
 */
export async function measureCard(
  options: NativeLoadOptions & { readonly device: string },
  prompt: readonly number[],
  runs: number,
  progress: (text: string) => void,
): Promise<BenchmarkFields> {
  const load = { ...options, contextLength: CONTEXT_LENGTH };
  const addon = loadGpuAddon(NATIVE_DIRECTORY);
  const freeBytes = (): number => {
    const found = addon.devices().find(({ id }) => id === options.device);
    if (found === undefined) throw new Error(`there is no device ${options.device}`);
    return found.freeBytes;
  };
  const measureLoad = async (): Promise<CardLoad> => {
    const estimate = await addon.estimateMemory(load);
    const before = { host: await residentMemory(), free: freeBytes() };
    const engine = new addon.Engine();
    let held: Omit<CardLoad, 'residueBytes'>;
    try {
      await engine.load(load);
      const loadedBytes = before.free - freeBytes();
      await engine.generate({ prompt, maxTokens: ANSWER_TOKENS }).result;
      const hostBytes = (await residentMemory()) - before.host;
      const report = engine.memory();
      const own = report.devices.find(({ name }) => name === options.device);
      if (own === undefined) throw new Error(`the engine reports nothing on ${options.device}`);
      held = {
        estimatedBytes: estimate.deviceWeightsBytes + estimate.deviceCompletionBytes,
        reportedBytes: heldOn(own),
        loadedBytes,
        heldBytes: before.free - freeBytes(),
        hostBytes,
        reportedHostBytes: report.totalBytes - heldOn(own),
      };
    } finally {
      await engine.close();
    }
    await residentMemory();
    return { ...held, residueBytes: before.free - freeBytes() };
  };
  await measureLoad();
  const loads: CardLoad[] = [];
  for (let run = 0; run < runs; run += 1) {
    progress(`card: load ${run + 1} of ${runs}`);
    loads.push(await measureLoad());
  }
  const middle = (of: (load: CardLoad) => number): number => median(loads.map(of));
  const held = middle(({ heldBytes }) => heldBytes);
  const fields = {
    card_context_length: CONTEXT_LENGTH,
    card_held_bytes: held,
    card_loaded_bytes: middle(({ loadedBytes }) => loadedBytes),
    card_reported_bytes: middle(({ reportedBytes }) => reportedBytes),
    card_reported_over_held: round(
      middle(({ reportedBytes, heldBytes }) => reportedBytes / heldBytes),
      3,
    ),
    card_estimated_over_held: round(
      middle(({ estimatedBytes, heldBytes }) => estimatedBytes / heldBytes),
      3,
    ),
    card_residues_bytes: loads.map(({ residueBytes }) => residueBytes),
    card_host_bytes: middle(({ hostBytes }) => hostBytes),
    card_reported_host_bytes: middle(({ reportedHostBytes }) => reportedHostBytes),
  };
  progress('card: llama-server with the same context and prompt');
  const peer = await measurePeer(load, prompt, freeBytes);
  return { ...fields, ...peer, card_held_over_peer: round(held / peer.card_peer_bytes, 3) };
}

function heldOn({ weightsBytes, contextBytes, computeBytes }: NativeDeviceMemory): number {
  return weightsBytes + contextBytes + computeBytes;
}

/** llama-server is another process: the driver counts it in what is free to us. */
async function measurePeer(
  { path, threads = 0, device, contextLength = 0 }: NativeLoadOptions,
  prompt: readonly number[],
  freeBytes: () => number,
): Promise<{ readonly card_peer_bytes: number; readonly card_peer_drafting_bytes: number }> {
  const measure = async (mtp: boolean): Promise<number> => {
    const before = freeBytes();
    const server = await LlamaServer.start({
      ...{ flavour: 'vulkan', model: path, threads: threads === 0 ? availableParallelism() : threads },
      ...{ contextLength, device: device ?? null, mtp },
    });
    try {
      await server.complete(prompt, ANSWER_TOKENS);
      return before - freeBytes();
    } finally {
      await server.stop();
    }
  };
  return { card_peer_bytes: await measure(false), card_peer_drafting_bytes: await measure(true) };
}
