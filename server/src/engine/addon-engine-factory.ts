import type { Log } from '../util/log.js';
import { AddonEngine } from './addon-engine.js';
import type { Engine } from './engine.js';
import { toEngineError } from './engine-error.js';
import { loadAddon } from './load-addon.js';

/**
 * Loads the native addon now and returns what makes engines of it. An addon that cannot be loaded is not fatal: it is
 * the error of each attempt to make an engine.
 */
export function createAddonEngineFactory(
  nativeDirectory: string,
  environment: NodeJS.ProcessEnv,
  log: Log,
): () => Engine {
  try {
    const addon = loadAddon(nativeDirectory, environment);
    return () => {
      log.info(`Engine: llama.cpp ${addon.llamaVersion}, built for ${addon.flavour}`);
      return new AddonEngine(addon, log);
    };
  } catch (thrown) {
    const error = toEngineError(thrown);
    return () => {
      throw error;
    };
  }
}
