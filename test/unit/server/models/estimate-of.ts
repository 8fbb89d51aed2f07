import type { MemoryEstimate } from '../../../../server/src/engine/engine.js';

const PER_TOKEN = 1e5;

/** An estimate for a model of this size, with 100 kB for each token of context in each slot. */
export function estimateOf(bytes: number, contextLength: number, chatContextLength: number): MemoryEstimate {
  const kvBytes = contextLength * PER_TOKEN;
  return {
    totalBytes: bytes + kvBytes,
    weightsBytes: bytes,
    mtpWeightsBytes: 0,
    vocabularyBytes: 0,
    contextBytes: kvBytes,
    kvBytes,
    recurrentBytes: 0,
    checkpointBytes: 0,
    swappedBytes: 0,
    computeBytes: 0,
    graphBytes: 0,
    outputBytes: 0,
    neededBytes: bytes + kvBytes,
    chatSlotBytes: chatContextLength * PER_TOKEN,
    checkpointBudgetBytes: 64 * 2 ** 20,
    swapBudgetBytes: 128 * 2 ** 20,
    contextLength,
    bytesPerToken: PER_TOKEN,
    availableBytes: 0,
  };
}
