import { isNumber, isRecord, isText } from '../../../protocol/index.js';

/** `discrete` has memory of its own, `integrated` shares the machine's, `cpu` is a driver that computes on the processor. */
export const DEVICE_KINDS = ['discrete', 'integrated', 'cpu'] as const;

/** A device of this machine, and what came of trying it. */
export interface GpuDevice {
  /** What a load names, such as `Vulkan0`. */
  readonly id: string;
  /** As its driver says, such as `NVIDIA GeForce RTX 3060`. */
  readonly name: string;
  readonly driver: string;
  readonly kind: (typeof DEVICE_KINDS)[number];
  /** The size of its memory, when it was tried. */
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly trial: Trial;
}

/** Milliseconds that the device and the processor took for the same work, or why the device cannot be used. */
export type Trial =
  | { readonly kind: 'works'; readonly deviceMs: number; readonly cpuMs: number }
  | { readonly kind: 'failed'; readonly reason: string }
  /** `auto` never chooses it, so it is not tried. */
  | { readonly kind: 'untried' };

const MOST_DEVICES = 32;
const LONGEST_TEXT = 1_000;

/** The devices in a value that another process, or an older version, wrote; null for what is no list of them. */
export function parseDevices(value: unknown): readonly GpuDevice[] | null {
  if (!Array.isArray(value) || value.length > MOST_DEVICES) return null;
  const devices = value.map(parseDevice);
  return devices.every((device) => device !== null) ? devices : null;
}

function parseDevice(value: unknown): GpuDevice | null {
  if (!isRecord(value)) return null;
  const { id, name, driver, kind, totalBytes, freeBytes } = value;
  const trial = parseTrial(value.trial);
  const known = DEVICE_KINDS.find((each) => each === kind);
  if (!isShort(id) || !isShort(name) || !isShort(driver) || !isBytes(totalBytes) || !isBytes(freeBytes)) return null;
  return known === undefined || trial === null ? null : { id, name, driver, kind: known, totalBytes, freeBytes, trial };
}

/** Null for what is no trial. */
export function parseTrial(value: unknown): Trial | null {
  if (!isRecord(value)) return null;
  const { kind, deviceMs, cpuMs, reason } = value;
  if (kind === 'works' && isNumber(deviceMs, 0, 1e9) && isNumber(cpuMs, 0, 1e9)) return { kind, deviceMs, cpuMs };
  if (kind === 'untried') return { kind };
  return kind === 'failed' && isShort(reason) ? { kind, reason } : null;
}

function isShort(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_TEXT;
}

function isBytes(value: unknown): value is number {
  return isNumber(value, 0, Number.MAX_SAFE_INTEGER);
}
