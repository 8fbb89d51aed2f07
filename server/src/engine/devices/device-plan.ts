import { type EngineErrorInfo, t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { EstimateMemory, LoadRequest } from '../engine.js';
import { toEngineError } from '../engine-error.js';
import type { MemoryEstimate } from '../memory-report.js';
import { type LoadPlan, optionsOf, type PlanLoad } from '../plan-load.js';
import { AUTOMATIC, chooseDevices, layersFor, usableBytes } from './choose-device.js';
import type { GpuDevice } from './gpu-device.js';

export interface DevicePlanOptions {
  /** Null before they are known. */
  readonly devices: () => readonly GpuDevice[] | null;
  readonly estimateMemory: EstimateMemory;
  /** More than the model can ever take, in bytes; null where its file cannot be read. */
  readonly mostBytes: (loadRequest: LoadRequest) => Promise<number | null>;
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

/** Plans loads for the device that the setting and the machine suggest; for the processor if none is of use. */
export function onDevices(plan: PlanLoad, options: DevicePlanOptions): PlanLoad {
  return async (requested) => {
    const { deviceSetting = AUTOMATIC, remote, gpuLayers } = requested;
    const devices = options.devices();
    // 0: the GPU failed too often (gpu-losses.ts).
    if (remote !== undefined || gpuLayers === 0 || devices === null) return plan(requested);
    const choice = chooseDevices(deviceSetting, devices);
    switch (choice.kind) {
      case 'processor':
        return plan(requested);
      case 'missing':
        return withDrawback(await plan(requested), notThere(deviceSetting, devices));
      case 'broken':
        return withDrawback(await plan(requested), {
          code: 'deviceUnusable',
          message: t('{0} failed when Inkling tried it, so the processor is used.', choice.device.name),
        });
      case 'devices':
        for (const device of choice.devices) {
          const placement = await place(device, requested, options);
          const planned = placement && (await plan({ ...requested, ...placement }));
          if (planned?.kind === 'fits') return planned;
        }
        return choice.isWanted
          ? withDrawback(await plan(requested), {
              code: 'deviceUnusable',
              message: t('The model does not fit on {0}, so the processor is used.', choice.devices[0]?.name ?? ''),
            })
          : plan(requested);
    }
  };
}

/** Null where the model does not fit, or cannot be estimated there. */
async function place(device: GpuDevice, requested: LoadRequest, options: DevicePlanOptions): Promise<Placement | null> {
  const { id, kind } = device;
  const own = kind === 'discrete' ? 1 : 0;
  try {
    const most = await options.mostBytes(requested);
    // An estimate would only delay the load.
    if (most !== null && most <= device.freeBytes / 2) return { device: id, deviceBytes: own * device.freeBytes };
    const asked = { ...optionsOf(requested), device: id, requireFim: false };
    const estimate = await options.estimateMemory(asked);
    const freeBytes = estimate.deviceFreeBytes + options.held(id);
    const layersOf = (need: MemoryEstimate) => layersFor(need, usableBytes(freeBytes), kind, options.chats);
    const layers = layersOf(estimate);
    if (layers === null) return null;
    const placement = { device: id, deviceBytes: own * freeBytes, ...(layers === 'all' ? {} : { gpuLayers: layers }) };
    const { contextLength = 0, suggestionTokens = 0 } = requested;
    if (contextLength > 0 || suggestionTokens <= USUAL_CONTEXT) return placement;
    const isRoomy =
      layers === 'all' &&
      layersOf(await options.estimateMemory({ ...asked, contextLength: suggestionTokens })) === 'all';
    return isRoomy ? placement : { ...placement, suggestionTokens: USUAL_CONTEXT };
  } catch (thrown) {
    options.log.warn(`No plan for ${device.name}: ${toEngineError(thrown).message}`);
    return null;
  }
}

function notThere(setting: string, devices: readonly GpuDevice[]): EngineErrorInfo {
  const names = devices.map(({ name }, index) => `${index}: ${name}`).join(', ');
  const message =
    names === ''
      ? t('There is no device "{0}" on this machine: no GPU was found. The processor is used.', setting)
      : t('There is no device "{0}" on this machine, which has {1}. The processor is used.', setting, names);
  return { code: 'deviceUnusable', message };
}

function withDrawback(plan: LoadPlan, drawback: EngineErrorInfo): LoadPlan {
  return plan.kind === 'fits' ? { ...plan, drawback } : plan;
}
