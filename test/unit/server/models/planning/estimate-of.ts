import type { MemoryEstimate } from '../../../../../server/src/engine/port/memory-report.js';

const PER_TOKEN = 1e5;

/** An estimate for a model of this size, with 100 kB for each token of context in each slot. */
export function estimateOf(bytes: number, contextLength: number, chatContextLength: number): MemoryEstimate {
  return {
    neededBytes: bytes + contextLength * PER_TOKEN,
    chatSlotBytes: chatContextLength * PER_TOKEN,
    checkpointBudgetBytes: 64 * 2 ** 20,
    swapBudgetBytes: 128 * 2 ** 20,
    bytesPerToken: PER_TOKEN,
    deviceWeightsBytes: 0,
    deviceCompletionBytes: 0,
    deviceChatBytes: 0,
    deviceFreeBytes: 0,
    layerCount: 0,
    availableBytes: 0,
  };
}
