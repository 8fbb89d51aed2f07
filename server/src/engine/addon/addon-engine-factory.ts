import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import { AddonEngine, type DuringLoad, type DuringWork, type ReadCard } from './addon-engine.js';
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
  readonly duringDeviceLoad: (device: string) => DuringLoad;
  /** Around each answer of a model that is on a GPU. */
  readonly duringGpuWork: DuringWork;
  readonly readCard: ReadCard;
  readonly log: Log;
}

/**
 * Loads the native addon now and starts its watchdog. An addon that cannot be loaded is not fatal: it is the error of each
 * attempt to make an engine. The flavour for GPUs is loaded within the first load that is planned for one, since that
 * starts drivers.
 */
export function openLocalEngines(options: LocalEngineOptions): LocalEngines {
  const { nativeDirectory, environment, duringLoad, duringDeviceLoad, duringGpuWork, readCard, log } = options;
  let gpuAddon: Addon | null = null;
  const openGpuAddon = (): Addon => {
    gpuAddon ??= loadGpuAddon(nativeDirectory);
    return gpuAddon;
  };
  const make = (open: () => Addon, during: DuringLoad): Engine => {
    const openAndTell = (): Addon => {
      const addon = open();
      log.info(`Engine: llama.cpp ${addon.llamaVersion}, built for ${addon.flavour}`);
      return addon;
    };
    return new AddonEngine(openAndTell, log, during, readCard, duringGpuWork);
  };
  try {
    const addon = loadAddon(nativeDirectory, environment);
    const create = ({ device }: LoadOptions) =>
      device === undefined ? make(() => addon, duringLoad) : make(openGpuAddon, duringDeviceLoad(device));
    return { create, watchdog: startWatchdog(addon.Watchdog) };
  } catch (thrown) {
    const error = toEngineError(thrown);
    const create = () => {
      throw error;
    };
    return { create, watchdog: startWatchdog() };
  }
}
