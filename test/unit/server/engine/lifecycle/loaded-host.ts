import { createEngineHost } from '../../../../../server/src/engine/lifecycle/engine-host.js';
import type { PlanLoad } from '../../../../../server/src/engine/port/plan-load.js';
import { ScriptedEngine, SILENT } from '../../scripted-engine.js';

export const ONE = { path: '/one.gguf', threads: 0, contextLength: 0 };
export const TWO = { path: '/two.gguf', threads: 0, contextLength: 0 };
export const REQUEST = { prompt: ['a'], maxTokens: 1 };
export const never: AbortSignal = new AbortController().signal;
export const ignore = (): void => undefined;

/** Runs everything that is already due. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A host, and the engines that it has made so far. */
export function createHost(plan?: PlanLoad, make = () => new ScriptedEngine()) {
  const engines: ScriptedEngine[] = [];
  const createEngine = () => {
    const engine = make();
    engines.push(engine);
    return engine;
  };
  return { host: createEngineHost(createEngine, SILENT, plan), engines };
}

/** A host that has loaded `ONE`, with its engine. */
export async function loadedHost(plan?: PlanLoad) {
  const { host, engines } = createHost(plan);
  host.lifecycle.want(ONE);
  await settle();
  engines[0]?.finishLoad();
  await settle();
  const [engine] = engines;
  if (engine === undefined) throw new Error('No engine was made');
  return { host, engines, engine };
}
