import { join } from 'node:path';
import type { InklingSettings } from '../protocol/index.js';
import type { DuringLoad, DuringWork } from './engine/addon/addon-engine.js';
import { endHungLoads } from './engine/addon/hung-loads.js';
import { hasGpuAddon } from './engine/addon/load-addon.js';
import { AUTOMATIC, addedBytes, chooseDevices, type DeviceChoice, PROCESSOR } from './engine/devices/choose-device.js';
import { DeviceFailures } from './engine/devices/device-failures.js';
import { DeviceList } from './engine/devices/device-list.js';
import { DevicePlanner, type DevicePlannerOptions } from './engine/devices/device-plan.js';
import { driverIdentity, machineStart } from './engine/devices/driver-identity.js';
import { GpuLosses } from './engine/devices/gpu-losses.js';
import { probeDevices } from './engine/devices/probe-devices.js';
import { whenDeviceIsLost, whenWorkIsDone } from './engine/lifecycle/device-loss.js';
import type { EngineHost } from './engine/lifecycle/engine-host.js';
import type { LoadRequest } from './engine/port/engine.js';
import { toEngineError } from './engine/port/engine-error.js';
import { isOnGpu } from './engine/port/model-facts.js';
import type { PlanLoad } from './engine/port/plan-load.js';
import type { ServerOptions } from './server-options.js';
import { JsonFile } from './util/files/json-file.js';
import type { Log } from './util/log.js';

/** The GPUs of this machine: which there are, what they may be used for, and what went wrong with them. */
export class Devices {
  readonly #list: DeviceList;
  readonly #losses: GpuLosses;
  readonly #failures = new DeviceFailures();
  /** Whether the GPU shares the machine's memory, as Metal's does. Metal's GPU is in no list. */
  readonly #unifiedMemory: boolean;
  readonly #log: Log;
  readonly #endBroken: () => void;
  #isLost = false;

  constructor(list: DeviceList, losses: GpuLosses, unifiedMemory: boolean, log: Log, endBroken: () => void) {
    this.#list = list;
    this.#losses = losses;
    this.#unifiedMemory = unifiedMemory;
    this.#log = log;
    this.#endBroken = endBroken;
  }

  planner(options: Omit<DevicePlannerOptions, 'devices' | 'failures' | 'log'>): DevicePlanner {
    // Metal's GPU is used by itself, whatever the setting says.
    const isUnchosen = () => this.#unifiedMemory || this.#losses.checkGivenUp();
    const devices = () => (isUnchosen() ? null : this.#list.devices);
    return new DevicePlanner({ ...options, devices, failures: this.#failures, log: this.#log });
  }

  /** What a device adds to the machine's memory for a model that needs so many bytes. */
  addedBytes({ gpuLayers, ...loadRequest }: LoadRequest, neededBytes: number): number {
    return gpuLayers === 0 || this.#losses.checkGivenUp() ? 0 : addedBytes(this.#choice(loadRequest), neededBytes);
  }

  /** Names the devices that a load is planned for. Windows that plan for different devices share no model. */
  placeOf(loadRequest: LoadRequest): string {
    const choice = this.#choice(loadRequest);
    return choice.kind === 'devices' ? choice.devices.map(({ id }) => id).join(' ') : PROCESSOR;
  }

  /** Whether a device has memory besides the machine's. */
  readonly hasOwnMemory = (id: string): boolean => {
    const device = this.#list.devices?.find((each) => each.id === id);
    return device === undefined ? !this.#unifiedMemory : device.kind === 'discrete';
  };

  /** Whether a device computes beside the processor, in the machine's memory. Metal's is in no list. */
  isIntegrated(id: string): boolean {
    return this.#list.devices?.find((each) => each.id === id)?.kind === 'integrated';
  }

  /** Plans for the processor where the GPU was given up. */
  unlessGivenUp(plan: PlanLoad): PlanLoad {
    return this.#losses.around(plan);
  }

  /** Watches a load onto a device: notes its failure, and ends the process if it hangs. */
  duringLoad(device: string): DuringLoad {
    const during = endHungLoads({ crashed: this.#losses, log: this.#log, end: this.#endBroken });
    return async (path, load) => {
      try {
        return await during(path, load);
      } catch (thrown) {
        if (this.#failures.note(path, device, toEngineError(thrown).info)) this.#losses.add();
        throw thrown;
      }
    };
  }

  /** Runs the work of a model on a GPU, with a marker that says so. */
  readonly duringWork: DuringWork = (work) => this.#losses.whileItWorks(work);

  /** @returns whether a load of this model failed on a device since the last call: another plan would then differ */
  takeNewFailure({ path }: LoadRequest): boolean {
    return this.#failures.takeNew(path);
  }

  follow({ lifecycle, client }: EngineHost): void {
    whenWorkIsDone(lifecycle, () => {
      if (isOnGpu(client.facts)) this.#losses.worked();
    });
    whenDeviceIsLost(lifecycle, this.lost);
  }

  /** The GPU is lost to this process. */
  readonly lost = (): void => {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#losses.add();
    this.#log.error('The GPU failed twice in a row. The server ends, so that a new process can use it.');
    this.#endBroken();
  };

  /** Looks for devices if they are not known. @param found called if the settings want one that was found */
  find(settings: () => InklingSettings, found: () => void): void {
    if (!usesDevices(settings())) return;
    void this.#list.discover(() => {
      if (this.#choice({ deviceSetting: settings().device }).kind !== 'processor') found();
    });
  }

  /** The user wants to try again. @param decided called once it is known whether that changes what can be used */
  tryAgain(settings: InklingSettings, decided: (hasChanged: boolean) => void): void {
    const decide = (hasChanged: boolean): void => {
      const wasGivenUp = this.#losses.forgive();
      const hadFailures = this.#failures.forget();
      decided(hasChanged || wasGivenUp || hadFailures);
    };
    // A driver may end the process that loads it, so another one tries it first.
    if (usesDevices(settings)) void this.#list.discoverAgain(decide);
    else decide(false);
  }

  dispose(): void {
    this.#list.dispose();
    this.#losses.dispose();
  }

  #choice({ deviceSetting = AUTOMATIC }: Pick<LoadRequest, 'deviceSetting'>): DeviceChoice {
    return chooseDevices(deviceSetting, this.#list.devices ?? []);
  }
}

function usesDevices({ enabled, device }: InklingSettings): boolean {
  return enabled && device !== PROCESSOR;
}

/**
 * The devices of this machine. They are not looked for before `find`.
 *
 * @param endBroken ends this process, whose GPU is lost or hangs
 */
export function createDevices(
  options: ServerOptions,
  unifiedMemory: boolean,
  log: Log,
  endBroken: () => void,
): Devices {
  const { nativeDirectory, environment, program, stateDirectory } = options;
  const list = new DeviceList({
    file: new JsonFile(stateDirectory && join(stateDirectory, 'devices.json'), log),
    identity: hasGpuAddon(nativeDirectory) ? driverIdentity(nativeDirectory, environment) : null,
    machineStart: machineStart(),
    probe: (signal) => probeDevices({ program, environment, signal }),
    log,
  });
  return new Devices(list, new GpuLosses({ stateDirectory, log }), unifiedMemory, log, endBroken);
}
