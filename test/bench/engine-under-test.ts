import { setTimeout as delay } from 'node:timers/promises';
import type { NativeEngine, NativeLoadOptions, NativeModelFacts } from '../../server/src/engine/addon-types.js';
import { openAddon } from '../support/addon.js';
import type { BenchmarkFields } from './benchmark.js';

/** Our engine in this process, loaded like in the server, with its description for the result. */
export interface EngineUnderTest {
  readonly engine: NativeEngine;
  readonly facts: NativeModelFacts;
  readonly flavour: string;
  readonly description: BenchmarkFields;
}

export async function loadEngine(options: NativeLoadOptions): Promise<EngineUnderTest> {
  const { Engine, flavour, llamaVersion } = openAddon(process.env.INKLING_CPU_FLAVOUR);
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

const CALIBRATION_LIMIT_MS = 120_000;
const CALIBRATION_PAUSE_MS = 1000;

/**
 * Resolves once the engine has measured the cost of drafts. It measures in pauses between requests, and would otherwise
 * do so while something else is being timed.
 */
export async function untilCalibrated({ engine, facts }: EngineUnderTest): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < CALIBRATION_LIMIT_MS) {
    await delay(CALIBRATION_PAUSE_MS);
    const { metrics } = await engine.generate({ prompt: [0], maxTokens: 1, speculation: 'off' }).result;
    if (metrics.verifyMs.every((cost) => cost > 0)) return;
  }
  throw new Error(`${facts.path} was not calibrated within ${CALIBRATION_LIMIT_MS / 1000} s`);
}
