import type { EngineState, InklingStatus, ModelSummary } from '../../../server/protocol/index.js';

export const STARTER_MODEL: ModelSummary = {
  name: 'Inkling Seed 55M',
  path: '/opt/inkling/media/model/seed.gguf',
  architecture: 'qwen35',
  quantization: 'Q4_K - Medium',
  parameterCount: 55_000_000,
  fileBytes: 42_000_000,
  contextLength: 8192,
  recurrent: true,
  mtp: true,
  chat: false,
};

/** A server that has completed something, in the given state. */
export function servingStatus(state: EngineState, model: ModelSummary = STARTER_MODEL): InklingStatus {
  return {
    state,
    model,
    memory: {
      processRssBytes: 91_000_000,
      peakRssBytes: 120_000_000,
      weightsBytes: 42_000_000,
      contextBytes: 20_000_000,
      computeBytes: 5_000_000,
      deviceTotalBytes: 16_000_000_000,
      deviceFreeBytes: 8_000_000_000,
    },
    lastCompletion: {
      latencyMs: 41.6,
      promptTokens: 300,
      reusedTokens: 120,
      generatedTokens: 12,
      draftedTokens: 0,
      replayedTokens: 0,
      acceptedDraftTokens: 0,
      prefillMs: 20,
      decodeMs: 21,
    },
  };
}
