import type { Log } from '../util/log.js';
import { AddonEngine, type DuringLoad, type ReadCard } from './addon-engine.js';
import type { Engine, LoadOptions } from './engine.js';
import { toEngineError } from './engine-error.js';
import { loadAddon, loadGpuAddon } from './load-addon.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

type Addon = ReturnType<typeof loadAddon>;

export interface LocalEngines {
  /** @throws EngineError `addonUnavailable` where the addon cannot be loaded */
  readonly create: (options: LoadOptions) => Engine;
  readonly watchdog: Watchdog;
}

export interface LocalEngineOptions {
  readonly nativeDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Around a load for the processor, and around one for a device, which dies of other things. */
  readonly duringLoad: DuringLoad;
  readonly duringDeviceLoad: DuringLoad;
  readonly readCard: ReadCard;
  readonly log: Log;
}

/**
 * Loads the native addon now and starts its watchdog. An addon that cannot be loaded is not fatal: it is the error of each
 * attempt to make an engine. The flavour for GPUs is loaded with the first model that is planned for one.
 */
export function openLocalEngines(options: LocalEngineOptions): LocalEngines {
  const { nativeDirectory, environment, duringLoad, duringDeviceLoad, readCard, log } = options;
  let gpuAddon: Addon | null = null;
  const make = (addon: Addon, during: DuringLoad): Engine => {
    log.info(`Engine: llama.cpp ${addon.llamaVersion}, built for ${addon.flavour}`);
    return new AddonEngine(addon, log, during, readCard);
  };
  try {
    const addon = loadAddon(nativeDirectory, environment);
    const create = ({ device }: LoadOptions) => {
      if (device === undefined) return make(addon, duringLoad);
      gpuAddon ??= loadGpuAddon(nativeDirectory);
      return make(gpuAddon, duringDeviceLoad);
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
