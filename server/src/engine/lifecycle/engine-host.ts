import type { Log } from '../../util/log.js';
import { prefillSpeed } from '../measured/generation-speed.js';
import { MeasuredSpeeds } from '../measured/measured-speeds.js';
import { PromptLengths } from '../measured/prompt-lengths.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import {
  AS_REQUESTED,
  type MakeRoom,
  NO_MORE_ROOM,
  NO_SUBSTITUTE,
  type PlanLoad,
  type Substitute,
} from '../port/plan-load.js';
import { EngineClient } from './engine-client.js';
import { EngineLifecycle } from './engine-lifecycle.js';
import { EngineLoader } from './engine-loader.js';
import { HostedEngine } from './hosted-engine.js';

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
  prefillSpeeds = new MeasuredSpeeds(NO_FILE, '', prefillSpeed),
): EngineHost {
  const hosted = new HostedEngine();
  const loader = new EngineLoader(hosted, { createEngine, plan, makeRoom, substitute, log });
  const client = new EngineClient(hosted, loader, log);
  client.onDidGenerate(({ facts, result }) => prefillSpeeds.add(facts, result));
  const promptLengths = new PromptLengths(prefillSpeeds);
  return { lifecycle: new EngineLifecycle(hosted, loader, log), client, promptLengths };
}
