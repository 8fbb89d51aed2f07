import type { MemoryReport } from '../engine/port/memory-report.js';

/** Whether a device has memory besides the machine's, by the engine's name of it. */
export type HasOwnMemory = (device: string) => boolean;

/** The memory of the devices that have their own and hold something, in bytes. */
export interface OwnDeviceMemory {
  /** What models of this process hold there. */
  readonly heldBytes: number;
  /** What they could hold there: the bytes above and the free ones. */
  readonly roomBytes: number;
}

/** @param reports of the models of this process */
export function ownDeviceMemory(reports: readonly MemoryReport[], hasOwnMemory: HasOwnMemory): OwnDeviceMemory {
  const devices = new Map<string, { heldBytes: number; freeBytes: number; totalBytes: number }>();
  for (const report of reports) {
    // The first device is the processor.
    for (const { name, freeBytes, totalBytes, ...held } of report.devices.slice(1)) {
      if (!hasOwnMemory(name)) continue;
      const before = devices.get(name)?.heldBytes ?? 0;
      const heldBytes = before + held.weightsBytes + held.contextBytes + held.computeBytes;
      devices.set(name, { heldBytes, freeBytes, totalBytes });
    }
  }
  const sum = (bytesOf: (device: { heldBytes: number; freeBytes: number; totalBytes: number }) => number): number =>
    [...devices.values()].reduce((total, device) => total + bytesOf(device), 0);
  return {
    heldBytes: sum(({ heldBytes }) => heldBytes),
    // Some drivers call all memory free.
    roomBytes: sum(({ heldBytes, freeBytes, totalBytes }) => Math.min(totalBytes, heldBytes + freeBytes)),
  };
}
