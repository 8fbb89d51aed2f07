import { setTimeout as delay } from 'node:timers/promises';
import type {
  NativeEngine,
  NativeLoadOptions,
  NativeModelFacts,
} from '../../../server/src/engine/addon/addon-types.js';
import { loadGpuAddon } from '../../../server/src/engine/addon/load-addon.js';
import { NATIVE_DIRECTORY, openAddon } from '../../support/addon.js';
import type { BenchmarkFields, BenchmarkOptions } from './benchmark.js';

/** Our engine in this process, loaded like in the server, with its description for the result. */
export interface EngineUnderTest {
  readonly engine: NativeEngine;
  readonly facts: NativeModelFacts;
  readonly flavour: string;
  readonly description: BenchmarkFields;
}

/** What `--model`, `--threads` and `--device` say. */
export type LoadedBy = Pick<BenchmarkOptions, 'model' | 'threads' | 'device'>;

export function loadOptions({ model, threads, device }: LoadedBy, contextLength: number): NativeLoadOptions {
  return { path: model, threads, contextLength, ...(device === null ? {} : { device }) };
}

export async function loadEngine(options: NativeLoadOptions): Promise<EngineUnderTest> {
  const addon =
    options.device === undefined ? openAddon(process.env.INKLING_CPU_FLAVOUR) : loadGpuAddon(NATIVE_DIRECTORY);
  const { Engine, flavour, llamaVersion } = addon;
  const engine = new Engine();
  const facts = await engine.load(options);
  const { name, architecture, quantization, threads, backend } = facts;
  const description = {
    model: `${name} (${architecture}, ${quantization})`,
    flavour,
    threads,
    backend,
    llama_cpp: llamaVersion,
  };
  return { engine, facts, flavour, description };
}

/** What llama-server and llama-bench get so that they compute as our engine does. */
export function peerOptions({ flavour, facts }: EngineUnderTest, { model, device }: LoadedBy, contextLength: number) {
  return { flavour, model, threads: facts.threads, contextLength, device };
}

const CALIBRATION_LIMIT_MS = 120_000;
const CALIBRATION_PAUSE_MS = 1000;
/** Generations to the second time and the third, and how long these take at most. The fourth comes 16 after that. */
const LATER_CALIBRATIONS = [4, 8];
const LATER_CALIBRATION_MS = 2000;

/**
 * Resolves once the engine has measured the cost of drafts, and does not again soon. It measures in pauses between
 * requests: while the other side is being timed, or while that one slows it down.
 */
export async function untilCalibrated({ engine, facts }: EngineUnderTest): Promise<void> {
  const generate = () => engine.generate({ prompt: [0], maxTokens: 1, speculation: 'off' }).result;
  const started = performance.now();
  do {
    if (performance.now() - started > CALIBRATION_LIMIT_MS) {
      throw new Error(`${facts.path} was not calibrated within ${CALIBRATION_LIMIT_MS / 1000} s`);
    }
    await delay(CALIBRATION_PAUSE_MS);
  } while ((await generate()).metrics.verifyMs.some((cost) => cost <= 0));
  for (const count of LATER_CALIBRATIONS) {
    for (let left = count; left > 0; left -= 1) await generate();
    await delay(LATER_CALIBRATION_MS);
  }
}
