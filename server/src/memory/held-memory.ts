import type { MemoryReport } from '../engine/memory-report.js';
import { fileBackedBytes } from './describe-memory.js';

/** What of this server's memory the load of another model can count on. */
export interface HeldMemory {
  /** Held besides the model that would give way: it counts against the budget, and stays. */
  readonly besidesBytes: number;
  /** What that model gives back to the system. */
  readonly freedBytes: number;
}

/** What the server itself comes to hold once a model is loaded: the addon's code, JavaScript, parsers. */
const SERVER_BYTES = 80e6;

/** @param report of the model that would give way; null where none is loaded */
export function heldMemory(report: MemoryReport | null): HeldMemory {
  const residentBytes = process.memoryUsage.rss();
  const ownBytes = report?.totalBytes ?? 0;
  const besidesBytes = Math.max(SERVER_BYTES, residentBytes - ownBytes);
  // Pages of the model's file count as available already, as the system can drop them.
  const freedBytes = Math.max(0, Math.min(ownBytes, residentBytes - fileBackedBytes()));
  return { besidesBytes, freedBytes };
}
