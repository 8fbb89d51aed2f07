import type { MemoryReport } from '../engine/port/memory-report.js';
import { fileBackedBytes } from './describe-memory.js';
import { type HasOwnMemory, ownDeviceMemory } from './device-memory.js';

/** The part of this server's memory, without that of GPUs, that the load of another model can count on. */
export interface HeldMemory {
  /** Memory besides the model to replace: it counts against the budget and stays. */
  readonly besidesBytes: number;
  /** What unloading that model frees. */
  readonly freedBytes: number;
}

/** The server's own memory once a model is loaded: the addon's code, JavaScript, parsers. */
const SERVER_BYTES = 80e6;

/** @param report of the model to replace; null if none is loaded */
export function heldMemory(report: MemoryReport | null, hasOwnMemory: HasOwnMemory): HeldMemory {
  const residentBytes = process.memoryUsage.rss();
  const ownBytes = report === null ? 0 : report.totalBytes - ownDeviceMemory([report], hasOwnMemory).heldBytes;
  const besidesBytes = Math.max(SERVER_BYTES, residentBytes - ownBytes);
  // Pages of the model's file already count as available, since the system can drop them.
  const freedBytes = Math.max(0, Math.min(ownBytes, residentBytes - fileBackedBytes()));
  return { besidesBytes, freedBytes };
}
