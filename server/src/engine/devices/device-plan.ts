import { type EngineErrorInfo, t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { EstimateMemory, LoadRequest } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import type { MemoryEstimate } from '../port/memory-report.js';
import { optionsOf, type PlanLoad, withDrawback } from '../port/plan-load.js';
import {
  AUTOMATIC,
  chooseDevices,
  type DeviceChoice,
  isPartOfName,
  isWorthDevice,
  layersFor,
  usableBytes,
} from './choose-device.js';
import { type DeviceFailures, loadFailedOn } from './device-failures.js';
import { DEVICE_KINDS, type GpuDevice } from './gpu-device.js';

export interface DevicePlannerOptions {
  /** Null before they are known, and while GPUs are given up. */
  readonly devices: () => readonly GpuDevice[] | null;
  readonly failures: Pick<DeviceFailures, 'of'>;
  readonly estimateMemory: EstimateMemory;
  /** The size of the model's tensors; null where its file cannot be read. */
  readonly weightsBytes: (path: string) => Promise<number | null>;
  /** What the engine that gives way holds on a device, in bytes. */
  readonly held: (id: string) => number;
  /** Whether chats have a slot of their own. */
  readonly chats: boolean;
  readonly log: Log;
}

/** The context in tokens that the estimate of a load assumes. Longer prompts are worth no layer that then has no room. */
const USUAL_CONTEXT = 8192;

/** Layers on a device, and what is free there for them. */
interface Placement {
  readonly device: string;
  readonly gpuLayers?: number;
  readonly suggestionTokens?: number;
  readonly deviceBytes: number;
}

/** Finds the device that the setting and the machine suggest for a load; the processor if none is of use. */
export class DevicePlanner {
  readonly #options: DevicePlannerOptions;

  constructor(options: DevicePlannerOptions) {
    this.#options = options;
  }

  /** Plans a load for a device, or for the processor, which may be a drawback. */
  around(plan: PlanLoad): PlanLoad {
    return async (requested) => {
      const { result, drawback } = await this.place(requested, plan, ({ kind }) => kind === 'fits');
      return drawback === null ? result : withDrawback(result, drawback);
    };
  }

  /**
   * Attempts something for each device that may have the model, best first, and then for the processor.
   *
   * @returns what fits first; where nothing does, the refusal of the best device, which has more memory
   */
  async place<T>(
    requested: LoadRequest,
    attempt: (placed: LoadRequest) => Promise<T>,
    fits: (result: T) => boolean,
  ): Promise<{ readonly result: T; readonly drawback: EngineErrorInfo | null }> {
    const choice = await this.#choose(requested);
    const refusals: T[] = [];
    if (choice.kind === 'devices') {
      for await (const placement of this.#placements(choice.devices, requested)) {
        const result = await attempt({ ...requested, ...placement });
        if (fits(result)) return { result, drawback: null };
        refusals.push(result);
      }
    }
    const result = await attempt(requested);
    const [refusal = result] = refusals;
    return fits(result) ? { result, drawback: this.#drawback(choice, requested) } : { result: refusal, drawback: null };
  }

  async #choose({ deviceSetting = AUTOMATIC, remote, gpuLayers, path }: LoadRequest): Promise<DeviceChoice> {
    const devices = this.#options.devices();
    if (remote !== undefined || gpuLayers === 0 || devices === null) return { kind: 'processor' };
    const choice = chooseDevices(deviceSetting, devices);
    if (choice.kind !== 'devices' || choice.isWanted) return choice;
    const weights = await this.#options.weightsBytes(path);
    // A file that cannot be read is refused by the plan.
    return weights === null || isWorthDevice(weights) ? choice : { kind: 'processor' };
  }

  /** All layers on a device come before a part of them, which comes before a device that shares the machine's memory. */
  async *#placements(devices: readonly GpuDevice[], requested: LoadRequest): AsyncGenerator<Placement> {
    for (const kind of DEVICE_KINDS) {
      const parts: (Placement & { readonly gpuLayers: number })[] = [];
      for (const device of devices.filter((each) => each.kind === kind)) {
        const placement = await this.#placeOn(device, requested);
        if (placement === null) continue;
        const { gpuLayers } = placement;
        if (gpuLayers === undefined) yield placement;
        else parts.push({ ...placement, gpuLayers });
      }
      yield* parts.sort((left, right) => right.gpuLayers - left.gpuLayers);
    }
  }

  /** Null where the model does not fit, failed to load, or cannot be estimated. */
  async #placeOn({ id, kind, name }: GpuDevice, requested: LoadRequest): Promise<Placement | null> {
    const { estimateMemory, failures, held, chats, log } = this.#options;
    if (failures.of(requested.path, id) !== null) return null;
    try {
      // Another program may have taken the memory since the probe, so the device is asked.
      const asked = { ...optionsOf(requested), device: id, requireFim: false };
      const estimate = await estimateMemory(asked);
      const freeBytes = estimate.deviceFreeBytes + held(id);
      const layersOf = (need: MemoryEstimate) => layersFor(need, usableBytes(freeBytes), kind, chats);
      const layers = layersOf(estimate);
      if (layers === null) return null;
      const deviceBytes = kind === 'discrete' ? freeBytes : 0;
      const placement = { device: id, deviceBytes, ...(layers === 'all' ? {} : { gpuLayers: layers }) };
      const { contextLength = 0, suggestionTokens = 0 } = requested;
      if (contextLength > 0 || suggestionTokens <= USUAL_CONTEXT) return placement;
      const isRoomy =
        layers === 'all' && layersOf(await estimateMemory({ ...asked, contextLength: suggestionTokens })) === 'all';
      return isRoomy ? placement : { ...placement, suggestionTokens: USUAL_CONTEXT };
    } catch (thrown) {
      log.warn(`No plan for ${name}: ${toEngineError(thrown).message}`);
      return null;
    }
  }

  /** Why the user may have expected something else than the processor; null where nothing is amiss. */
  #drawback(choice: DeviceChoice, { path, deviceSetting = AUTOMATIC }: LoadRequest): EngineErrorInfo | null {
    switch (choice.kind) {
      case 'processor':
        return null;
      case 'missing':
        return unknownDevice(deviceSetting.trim(), this.#options.devices() ?? []);
      case 'broken':
        return {
          code: 'deviceUnusable',
          message: t('{0} failed when Inkling tried it, so the processor is used.', choice.device.name),
        };
      case 'devices': {
        for (const { id, name } of choice.devices) {
          const failure = this.#options.failures.of(path, id);
          if (failure !== null) return loadFailedOn(name, failure);
        }
        if (!choice.isWanted) return null;
        const name = choice.devices[0]?.name ?? '';
        return {
          code: 'deviceUnusable',
          message: t('The model does not fit on {0}, so the processor is used.', name),
        };
      }
    }
  }
}

function unknownDevice(setting: string, devices: readonly GpuDevice[]): EngineErrorInfo {
  const names = devices.map(({ name }, index) => `${index}: ${name}`).join(', ');
  const code = 'deviceUnknown';
  if (isPartOfName(setting, devices)) {
    return {
      code,
      message: t(
        'inkling.engine.device is "{0}", which fits several devices: {1}. The processor is used.',
        setting,
        names,
      ),
    };
  }
  const message =
    names === ''
      ? t('inkling.engine.device is "{0}", but no GPU was found. The processor is used.', setting)
      : t('inkling.engine.device is "{0}", but the devices are {1}. The processor is used.', setting, names);
  return { code, message };
}
