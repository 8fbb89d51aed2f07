import type { Log } from '../util/log.js';
import { AddonEngine } from './addon-engine.js';
import type { Engine, EstimateMemory } from './engine.js';
import { toEngineError } from './engine-error.js';
import { loadAddon } from './load-addon.js';

/** What the native addon gives to the rest of the server. */
export interface AddonEngineFactory {
  readonly createEngine: () => Engine;
  readonly estimateMemory: EstimateMemory;
}

/**
 * Loads the native addon now. One that cannot be loaded is not fatal: it is the error of each attempt to make an engine,
 * or to ask for an estimate.
 */
export function createAddonEngineFactory(
  nativeDirectory: string,
  environment: NodeJS.ProcessEnv,
  log: Log,
): AddonEngineFactory {
  try {
    const addon = loadAddon(nativeDirectory, environment);
    return {
      createEngine: () => {
        log.info(`Engine: llama.cpp ${addon.llamaVersion}, built for ${addon.flavour}`);
        return new AddonEngine(addon, log);
      },
      estimateMemory: async (options) => {
        try {
          return await addon.estimateMemory(options);
        } catch (thrown) {
          throw toEngineError(thrown);
        }
      },
    };
  } catch (thrown) {
    const error = toEngineError(thrown);
    const fail = (): never => {
      throw error;
    };
    return { createEngine: fail, estimateMemory: async () => fail() };
  }
}
