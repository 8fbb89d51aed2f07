import type { Log } from '../util/log.js';
import { AddonEngine, type DuringLoad, type ReadCard } from './addon-engine.js';
import type { Engine } from './engine.js';
import { toEngineError } from './engine-error.js';
import { loadAddon } from './load-addon.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

export interface LocalEngines {
  /** @throws EngineError `addonUnavailable` where the addon cannot be loaded */
  readonly create: () => Engine;
  readonly watchdog: Watchdog;
}

/**
 * Loads the native addon now and starts its watchdog. An addon that cannot be loaded is not fatal: it is the error of each
 * attempt to make an engine.
 */
export function openLocalEngines(
  nativeDirectory: string,
  environment: NodeJS.ProcessEnv,
  duringLoad: DuringLoad,
  readCard: ReadCard,
  log: Log,
): LocalEngines {
  try {
    const addon = loadAddon(nativeDirectory, environment);
    const create = () => {
      log.info(`Engine: llama.cpp ${addon.llamaVersion}, built for ${addon.flavour}`);
      return new AddonEngine(addon, log, duringLoad, readCard);
    };
    return { create, watchdog: startWatchdog(addon.Watchdog) };
  } catch (thrown) {
    const error = toEngineError(thrown);
    const create = () => {
      throw error;
    };
    return { create, watchdog: startWatchdog() };
  }
}
