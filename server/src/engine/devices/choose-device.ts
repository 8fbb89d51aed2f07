import type { MemoryEstimate } from '../port/memory-report.js';
import type { GpuDevice } from './gpu-device.js';

/** `inkling.engine.device` apart from a device's name or number. */
export const AUTOMATIC = 'auto';
export const PROCESSOR = 'cpu';

/** Which devices the setting allows on this machine. */
export type DeviceChoice =
  | { readonly kind: 'processor' }
  /** Best first. `isWanted`: the user named it. */
  | { readonly kind: 'devices'; readonly devices: readonly GpuDevice[]; readonly isWanted: boolean }
  /** The user named one that is not there, or a part of several names; or one that failed its trial. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly device: GpuDevice };

/** A device that is hardly faster is not worth its start, its power and its drivers. */
const LEAST_GAIN = 1.2;

/**
 * Which devices may run a model.
 *
 * @param setting `auto`, `cpu`, or a device's number, id or name; a part of its name is enough if only one has it
 */
export function chooseDevices(setting: string, devices: readonly GpuDevice[]): DeviceChoice {
  const wanted = setting.trim().toLowerCase();
  if (wanted === PROCESSOR) return { kind: 'processor' };
  if (wanted === AUTOMATIC || wanted === '') {
    const fast = devices.filter(isFast).sort((left, right) => rankOf(left) - rankOf(right) || msOf(left) - msOf(right));
    return fast.length === 0 ? { kind: 'processor' } : { kind: 'devices', devices: fast, isWanted: false };
  }
  const device = named(wanted, devices);
  if (device === null) return { kind: 'missing' };
  return device.trial.kind === 'failed'
    ? { kind: 'broken', device }
    : { kind: 'devices', devices: [device], isWanted: true };
}

function named(wanted: string, devices: readonly GpuDevice[]): GpuDevice | null {
  const numbered = /^\d+$/.test(wanted) ? devices[Number(wanted)] : undefined;
  const exact =
    numbered ?? devices.find(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const [first, second] = devices.filter(hasInName(wanted));
  return first !== undefined && second === undefined ? first : null;
}

/** Whether the setting is a part of a device's name: of several names, where it chooses none. */
export function isPartOfName(setting: string, devices: readonly GpuDevice[]): boolean {
  return devices.some(hasInName(setting.trim().toLowerCase()));
}

/** A number is a whole one: GPU 7 of two is not the RTX 3070. */
function hasInName(wanted: string): (device: GpuDevice) => boolean {
  if (/^\d+$/.test(wanted)) return ({ name }) => name.split(/\D+/).includes(wanted);
  return ({ name }) => name.toLowerCase().includes(wanted);
}

/** A driver that computes on the processor competes with our own kernels, so it is used only where the user names it. */
function isFast({ kind, trial }: GpuDevice): boolean {
  return kind !== 'cpu' && trial.kind === 'works' && trial.deviceMs * LEAST_GAIN < trial.cpuMs;
}

function rankOf({ kind }: GpuDevice): number {
  return kind === 'discrete' ? 0 : 1;
}

function msOf({ trial }: GpuDevice): number {
  return trial.kind === 'works' ? trial.deviceMs : Number.POSITIVE_INFINITY;
}

/**
 * A smaller model does less work for a token than it takes to start it on a GPU: the starter (36 MB) suggests through
 * Vulkan on an H200 in 19 ms, and on two cores of a processor in 9 ms (test/bench/FIGURES.md).
 */
const LEAST_WEIGHTS_BYTES = 256 * 2 ** 20;

/** Whether a model is large enough for a device that the user did not name. */
export function isWorthDevice(weightsBytes: number): boolean {
  return weightsBytes >= LEAST_WEIGHTS_BYTES;
}

/** Other programs draw with the device too, and a driver has needs of its own. */
const LEFT_PART = 0.1;
const LEFT_BYTES = 256 * 2 ** 20;

/** What a model may take of a device's free memory, in bytes. */
export function usableBytes(freeBytes: number): number {
  return Math.max(0, Math.min(freeBytes * (1 - LEFT_PART), freeBytes - LEFT_BYTES));
}

/**
 * With fewer layers the processor has the larger part of the work, and reads most of the weights: a device that took no
 * time at all would not even halve the time.
 */
const LEAST_PART = 0.5;

/**
 * What the devices that may have a model add to the machine's memory for it, in bytes: one that has too little of its own
 * for the larger part of the model adds nothing.
 */
export function addedBytes(choice: DeviceChoice, neededBytes: number): number {
  if (choice.kind !== 'devices') return 0;
  const discrete = choice.devices.filter(({ kind }) => kind === 'discrete');
  const large = discrete.filter(({ totalBytes }) => neededBytes * LEAST_PART <= usableBytes(totalBytes));
  return Math.max(0, ...large.map(({ totalBytes }) => totalBytes));
}

/** What a device takes of a model, in bytes. */
export type DeviceNeed = Pick<
  MemoryEstimate,
  'deviceWeightsBytes' | 'deviceCompletionBytes' | 'deviceChatBytes' | 'layerCount'
>;

/**
 * How many layers a device gets: `all`, or a number if the rest stays with the processor; null where it does not pay.
 *
 * @param need with all layers on the device
 * @param chats whether there will be a chat slot besides
 */
export function layersFor(
  need: DeviceNeed,
  usable: number,
  kind: GpuDevice['kind'],
  chats: boolean,
): 'all' | number | null {
  const slots = need.deviceCompletionBytes + (chats ? need.deviceChatBytes : 0);
  if (need.deviceWeightsBytes + slots <= usable) return 'all';
  // What shares the machine's memory has no more of it than the processor.
  if (kind !== 'discrete' || need.layerCount === 0) return null;
  // The slots' scratch memory stays whole, so this is rather too few.
  const perLayer = (need.deviceWeightsBytes + slots) / need.layerCount;
  const layers = Math.min(need.layerCount - 1, Math.floor(usable / perLayer) - 1);
  return layers >= need.layerCount * LEAST_PART ? layers : null;
}
