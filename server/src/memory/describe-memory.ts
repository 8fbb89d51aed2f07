import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import type { GpuMemory, MemorySummary } from '../../protocol/index.js';
import type { MemoryReport } from '../engine/port/memory-report.js';
import { type HasOwnMemory, type OwnDeviceMemory, ownDeviceMemory } from './device-memory.js';
import { memoryBudget } from './memory-budget.js';
import type { AllWindows } from './window-registry.js';

type Parts = Omit<
  MemorySummary,
  | 'chatModel'
  | 'keptBytes'
  | 'gpus'
  | 'inUseBytes'
  | 'budgetBytes'
  | 'machineBytes'
  | 'windowCount'
  | 'windowBytes'
  | 'processRssBytes'
  | 'peakBytes'
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
};

export interface SummaryInput {
  /** The user's setting; 0 chooses. */
  readonly requestedBytes: number;
  readonly machineBytes: number;
  readonly hasOwnMemory: HasOwnMemory;
  readonly windows: AllWindows;
  /** The model for chat alone, if one is loaded. */
  readonly chat: LoadedChatModel | null;
  /** Models that other windows use, and this one does not. */
  readonly kept: readonly MemoryReport[];
  /** The most that was in use before. */
  readonly peakBytes: number;
}

export interface LoadedChatModel {
  readonly name: string;
  readonly report: MemoryReport;
}

/** @param report null while no model is loaded */
export function describeMemory(report: MemoryReport | null, input: SummaryInput): MemorySummary {
  const { requestedBytes, machineBytes, windows, chat, kept } = input;
  const gpus = gpuMemory(report, input);
  const parts = report === null ? NOTHING_LOADED : partsOf(report);
  const { rssBytes, peakBytes } = report === null ? ownProcess() : processOf(report);
  const { weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes, checkpointBytes, swappedBytes, computeBytes } = parts;
  const chatBytes = chat?.report.totalBytes ?? 0;
  const keptBytes = sumOf(kept, ({ totalBytes }) => totalBytes);
  const others = chat === null ? kept : [chat.report, ...kept];
  const othersCaches = sumOf(others, (each) => each.checkpointBytes + each.swappedBytes);
  const needed = weightsBytes + mtpWeightsBytes + kvBytes + recurrentBytes + computeBytes;
  const all = needed + checkpointBytes + swappedBytes + chatBytes + keptBytes;
  // The resident size does not contain memory of GPUs.
  const inUseBytes = Math.max(rssBytes + gpus.heldBytes, all);
  return {
    ...parts,
    chatModel: chat && { name: chat.name, bytes: chatBytes },
    keptBytes,
    gpus: gpusOf(modelsOf(report, input)),
    inUseBytes,
    budgetBytes: memoryBudget(
      requestedBytes,
      machineBytes + gpus.roomBytes,
      needed + chatBytes + keptBytes - othersCaches,
    ),
    processRssBytes: rssBytes,
    // The system remembers each moment, but counts pages alone.
    peakBytes: Math.max(input.peakBytes, peakBytes, inUseBytes),
    elsewhereBytes: (report?.elsewhereBytes ?? 0) + (chat?.report.elsewhereBytes ?? 0),
    machineBytes,
    windowCount: windows.count,
    windowBytes: windows.bytes,
  };
}

type Models = Pick<SummaryInput, 'chat' | 'kept'>;

/** The memory of the GPUs with memory of their own that hold a part of a model. */
export function gpuMemory(
  report: MemoryReport | null,
  { hasOwnMemory, ...others }: Models & Pick<SummaryInput, 'hasOwnMemory'>,
): OwnDeviceMemory {
  return ownDeviceMemory(modelsOf(report, others), hasOwnMemory);
}

/** The reports of all models of this process. */
function modelsOf(report: MemoryReport | null, { chat, kept }: Models): readonly MemoryReport[] {
  return [report, chat?.report ?? null, ...kept].filter((each) => each !== null);
}

function gpusOf(reports: readonly MemoryReport[]): readonly GpuMemory[] {
  const gpus = new Map<string, GpuMemory>();
  for (const { devices } of reports) {
    // The first device is the processor.
    for (const { name, description, freeBytes, totalBytes, ...held } of devices.slice(1)) {
      const before = gpus.get(name)?.heldBytes ?? 0;
      const heldBytes = before + held.weightsBytes + held.contextBytes + held.computeBytes;
      gpus.set(name, { name: description, heldBytes, freeBytes, totalBytes });
    }
  }
  return [...gpus.values()];
}

function sumOf(reports: readonly MemoryReport[], bytesOf: (report: MemoryReport) => number): number {
  return reports.reduce((sum, report) => sum + bytesOf(report), 0);
}

function partsOf(report: MemoryReport): Parts {
  const { weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes, deviceTotalBytes, deviceFreeBytes } = report;
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
