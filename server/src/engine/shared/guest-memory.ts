import type { MemoryReport, SlotMemory } from '../port/memory-report.js';

/** A guest holds nothing of the model, so that all windows together count it once. */
export function guestMemory(heldBytes: number): MemoryReport {
  const processRssBytes = process.memoryUsage.rss();
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  return { ...NOTHING, elsewhereBytes: heldBytes, processRssBytes, peakRssBytes };
}

const NO_SLOT: SlotMemory = { kvBytes: 0, recurrentBytes: 0, computeBytes: 0, graphBytes: 0, outputBytes: 0 };

const NOTHING: Omit<MemoryReport, 'elsewhereBytes' | 'processRssBytes' | 'peakRssBytes'> = {
  ...NO_SLOT,
  totalBytes: 0,
  weightsBytes: 0,
  mtpWeightsBytes: 0,
  vocabularyBytes: 0,
  checkpointBytes: 0,
  swappedBytes: 0,
  completion: NO_SLOT,
  chat: NO_SLOT,
  devices: [],
  deviceTotalBytes: 0,
  deviceFreeBytes: 0,
};
