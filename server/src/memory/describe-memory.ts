import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import type { MemorySummary } from '../../protocol/index.js';
import type { MemoryReport } from '../engine/port/memory-report.js';
import { type HasOwnMemory, type OwnDeviceMemory, ownDeviceMemory } from './device-memory.js';
import { memoryBudget } from './memory-budget.js';
import type { AllWindows } from './window-registry.js';

type Parts = Omit<
  MemorySummary,
  | 'chatModel'
  | 'inUseBytes'
  | 'budgetBytes'
  | 'machineBytes'
  | 'windowCount'
  | 'windowBytes'
  | 'processRssBytes'
  | 'peakRssBytes'
  | 'elsewhereBytes'
>;

const NOTHING_LOADED: Parts = {
  weightsBytes: 0,
  mtpWeightsBytes: 0,
  kvBytes: 0,
  recurrentBytes: 0,
  checkpointBytes: 0,
  swappedBytes: 0,
  computeBytes: 0,
  deviceTotalBytes: 0,
  deviceFreeBytes: 0,
  gpus: [],
};

export interface SummaryInput {
  /** The user's setting; 0 chooses. */
  readonly requestedBytes: number;
  readonly machineBytes: number;
  readonly hasOwnMemory: HasOwnMemory;
  readonly windows: AllWindows;
  /** The model for chat alone, if one is loaded. */
  readonly chat: LoadedChatModel | null;
}

export interface LoadedChatModel {
  readonly name: string;
  readonly report: MemoryReport;
}

/** @param report null while no model is loaded */
export function describeMemory(report: MemoryReport | null, input: SummaryInput): MemorySummary {
  const { requestedBytes, machineBytes, windows, chat } = input;
  const gpus = gpuMemory(report, input);
  const parts = report === null ? NOTHING_LOADED : partsOf(report);
  const { rssBytes, peakBytes } = report === null ? ownProcess() : processOf(report);
  const { weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes, checkpointBytes, swappedBytes, computeBytes } = parts;
  const chatBytes = chat?.report.totalBytes ?? 0;
  const chatCaches = chat === null ? 0 : chat.report.checkpointBytes + chat.report.swappedBytes;
  const needed = weightsBytes + mtpWeightsBytes + kvBytes + recurrentBytes + computeBytes;
  return {
    ...parts,
    chatModel: chat && { name: chat.name, bytes: chatBytes },
    // The resident size does not contain memory of GPUs.
    inUseBytes: Math.max(rssBytes + gpus.heldBytes, needed + checkpointBytes + swappedBytes + chatBytes),
    budgetBytes: memoryBudget(requestedBytes, machineBytes + gpus.roomBytes, needed + chatBytes - chatCaches),
    processRssBytes: rssBytes,
    // The system updates the peak a little later than the present size.
    peakRssBytes: Math.max(peakBytes, rssBytes),
    elsewhereBytes: (report?.elsewhereBytes ?? 0) + (chat?.report.elsewhereBytes ?? 0),
    machineBytes,
    windowCount: windows.count,
    windowBytes: windows.bytes,
  };
}

/** The memory of the GPUs with memory of their own that hold a part of either model. */
export function gpuMemory(
  report: MemoryReport | null,
  { chat, hasOwnMemory }: Pick<SummaryInput, 'chat' | 'hasOwnMemory'>,
): OwnDeviceMemory {
  const reports = [report, chat?.report ?? null].filter((each) => each !== null);
  return ownDeviceMemory(reports, hasOwnMemory);
}

function partsOf(report: MemoryReport): Parts {
  const { weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes, deviceTotalBytes, deviceFreeBytes } = report;
  // The first device is the processor.
  const [, ...gpus] = report.devices;
  return {
    weightsBytes,
    mtpWeightsBytes,
    kvBytes,
    recurrentBytes,
    checkpointBytes: report.checkpointBytes,
    swappedBytes: report.swappedBytes,
    computeBytes: report.computeBytes + report.graphBytes + report.outputBytes + report.vocabularyBytes,
    deviceTotalBytes,
    // The CPU backend reports all memory as free.
    deviceFreeBytes: deviceFreeBytes === deviceTotalBytes ? Math.min(freemem(), deviceTotalBytes) : deviceFreeBytes,
    gpus: gpus.map(({ description, freeBytes, totalBytes, ...held }) => ({
      name: description,
      heldBytes: held.weightsBytes + held.contextBytes + held.computeBytes,
      freeBytes,
      totalBytes,
    })),
  };
}

function processOf({ processRssBytes, peakRssBytes }: MemoryReport) {
  return { rssBytes: processRssBytes, peakBytes: peakRssBytes };
}

function ownProcess() {
  return { rssBytes: process.memoryUsage.rss(), peakBytes: process.resourceUsage().maxRSS * 1024 };
}

/** Pages of files, shared with other processes that map the same file; 0 if unknown. */
export function fileBackedBytes(): number {
  if (process.platform !== 'linux') return 0;
  const kibibytes = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}
