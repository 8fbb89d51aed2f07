import type { NativeEngine, NativeLoadOptions, NativeModelFacts } from '../../server/src/engine/addon-types.js';
import { openAddon } from '../support/addon.js';
import type { BenchmarkFields } from './benchmark.js';

/** Our engine in this process, as the server would load it, with what describes it in a result. */
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
