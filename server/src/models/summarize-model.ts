import type { ModelSummary } from '../../protocol/index.js';
import { isOnGpu, type ModelFacts } from '../engine/port/model-facts.js';

/** What the client shows of a model. */
export function summarizeModel(facts: ModelFacts): ModelSummary {
  const { name, path, architecture, quantization, parameterCount, fileBytes, contextLength, isStarter, languages } =
    facts;
  const shared = {
    name,
    path,
    architecture,
    quantization,
    parameterCount,
    fileBytes,
    contextLength,
    isStarter,
    languages,
  };
  switch (facts.kind) {
    case 'local':
      return {
        ...shared,
        recurrent: facts.recurrent,
        mtp: facts.mtp,
        chat: facts.chatTemplate !== null,
        onGpu: isOnGpu(facts),
      };
    case 'remote':
      return { ...shared, recurrent: null, mtp: null, chat: facts.chat, onGpu: null };
  }
}
