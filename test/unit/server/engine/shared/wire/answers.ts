import type { GenerationResult } from '../../../../../../server/src/engine/port/generation.js';
import { EVERY_CAPABILITY, type LocalModelFacts } from '../../../../../../server/src/engine/port/model-facts.js';

/** What an owner says of a model, with everything that there can be. */
export const FACTS: LocalModelFacts = {
  kind: 'local',
  path: '/models/coder.gguf',
  name: 'Coder',
  contextLength: 2048,
  chatContextLength: 8192,
  fim: { prefix: 1, suffix: 2, middle: 3, pad: null, repo: 4, fileSep: null, suffixFirst: false },
  bosToken: null,
  addBos: false,
  leadingBlank: false,
  capabilities: EVERY_CAPABILITY,
  architecture: 'qwen35',
  quantization: 'Q4_K_M',
  fileBytes: 5e9,
  parameterCount: 7e9,
  recurrent: true,
  canShiftContext: false,
  mtp: true,
  chatTemplate: '{{ messages }}',
  threads: 4,
  backend: 'CPU',
  isStarter: false,
  languages: ['python'],
  trainingContextLength: null,
  nextEditFormat: null,
};

export const RESULT: GenerationResult = {
  text: 'ab',
  tokens: [5, 6],
  logProbabilities: [-0.25, Number.NEGATIVE_INFINITY],
  scores: [
    { length: 1, logProbability: -0.25 },
    { length: 1, logProbability: Number.NEGATIVE_INFINITY },
  ],
  runnersUp: [null, { token: 7, logProbability: Number.NEGATIVE_INFINITY }],
  stopReason: 'maxTokens',
  metrics: {
    promptTokens: 20,
    reusedTokens: 10,
    generatedTokens: 2,
    prefillMs: 1.5,
    decodeMs: 2.5,
    local: {
      evaluatedTokens: 12,
      replayedTokens: 0,
      rounds: 1,
      shiftedTokens: 0,
      draftedTokens: 1,
      acceptedDraftTokens: 1,
      draftFailure: null,
      stepMs: null,
      queuedMs: 0.1,
      preemptions: 0,
      processorMs: 12.5,
    },
  },
};
