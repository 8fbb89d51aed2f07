import type { ModelSummary } from '../../protocol/index.js';
import type { ModelFacts } from '../engine/engine.js';

/** What the client shows of a model. */
export function summarizeModel(facts: ModelFacts): ModelSummary {
  const { name, path, architecture, quantization, parameterCount, fileBytes, contextLength, recurrent } = facts;
  return {
    name,
    path,
    architecture,
    quantization,
    parameterCount,
    fileBytes,
    contextLength,
    recurrent,
    mtp: facts.mtpLayerCount > 0,
    chat: facts.elsewhere?.chat ?? facts.chatTemplate !== null,
  };
}
