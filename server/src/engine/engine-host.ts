import type { Log } from '../util/log.js';
import type { Engine, LoadOptions } from './engine.js';
import { EngineClient } from './engine-client.js';
import { EngineLifecycle } from './engine-lifecycle.js';
import { EngineLoader } from './engine-loader.js';
import { HostedEngine } from './hosted-engine.js';
import {
  AS_REQUESTED,
  type MakeRoom,
  NO_MORE_ROOM,
  NO_SUBSTITUTE,
  type PlanLoad,
  type Substitute,
} from './plan-load.js';
import { PrefillSpeeds } from './prefill-speeds.js';
import { PromptLengths } from './prompt-lengths.js';

/**
 * Owns one engine. Its lifecycle decides which model it has and when; its client asks the loaded model. How long prompts
 * are follows from how fast that model evaluates them.
 */
export interface EngineHost {
  readonly lifecycle: EngineLifecycle;
  readonly client: EngineClient;
  readonly promptLengths: PromptLengths;
}

const NO_FILE = { read: () => null, changeSoon: () => undefined };

export function createEngineHost(
  createEngine: (options: LoadOptions) => Engine,
  log: Log,
  plan: PlanLoad = AS_REQUESTED,
  makeRoom: MakeRoom = NO_MORE_ROOM,
  substitute: Substitute = NO_SUBSTITUTE,
  speeds = new PrefillSpeeds(NO_FILE, ''),
): EngineHost {
  const hosted = new HostedEngine();
  const loader = new EngineLoader(hosted, { createEngine, plan, makeRoom, substitute, log });
  const client = new EngineClient(hosted, loader, log);
  client.onDidGenerate(({ facts, result }) => speeds.add(facts, result));
  return { lifecycle: new EngineLifecycle(hosted, loader, log), client, promptLengths: new PromptLengths(speeds) };
}
