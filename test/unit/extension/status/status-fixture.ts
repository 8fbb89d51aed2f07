import type { EngineState, InklingStatus, MemorySummary, ModelSummary } from '../../../../server/protocol/index.js';

export const STARTER_MODEL: ModelSummary = {
  name: 'Inkling Starter 55M',
  path: '/opt/inkling/media/model/seed.gguf',
  architecture: 'qwen35',
  quantization: 'Q4_K_M',
  parameterCount: 55_000_000,
  fileBytes: 42_000_000,
  contextLength: 8192,
  recurrent: true,
  mtp: true,
  chat: false,
  onGpu: false,
  isStarter: true,
  languages: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python'],
};

export const SERVING_MEMORY: MemorySummary = {
  inUseBytes: 91_000_000,
  budgetBytes: 8_000_000_000,
  processRssBytes: 91_000_000,
  peakBytes: 120_000_000,
  weightsBytes: 40_000_000,
  mtpWeightsBytes: 2_000_000,
  kvBytes: 12_000_000,
  recurrentBytes: 8_000_000,
  checkpointBytes: 6_000_000,
  swappedBytes: 0,
  computeBytes: 5_000_000,
  chatModel: null,
  deviceTotalBytes: 16_000_000_000,
  deviceFreeBytes: 8_000_000_000,
  gpus: [],
  elsewhereBytes: 0,
  keptBytes: 0,
  machineBytes: 16_000_000_000,
  windowCount: 1,
  windowBytes: 91_000_000,
};

/** A server in the given state that has already completed something. */
export function servingStatus(
  state: EngineState,
  model: ModelSummary = STARTER_MODEL,
  memory: Partial<MemorySummary> = {},
): InklingStatus {
  return {
    state,
    remote: null,
    model,
    memory: {
      ...SERVING_MEMORY,
      ...memory,
    },
    lastCompletion: {
      latencyMs: 41.6,
      promptTokens: 300,
      reusedTokens: 120,
      generatedTokens: 12,
      draftedTokens: 4,
      replayedTokens: 0,
      decodedTokens: 12,
      acceptedDraftTokens: 3,
      draftFailure: null,
      prefillMs: 20,
      decodeMs: 21,
    },
    chat: null,
  };
}
