import type {
  CompletionSummary,
  InklingSettings,
  InklingStatus,
  MemorySummary,
  ModelSummary,
} from '../protocol/index.js';
import type { ModelFacts } from './engine/engine.js';
import type { EngineHost } from './engine/engine-host.js';

/** The status that the client shows, put together from those who know its parts. */
export function describeStatus(
  host: EngineHost,
  settings: InklingSettings,
  memory: MemorySummary | null,
  lastCompletion: CompletionSummary | null,
): InklingStatus {
  const facts = host.knownFacts;
  return {
    state: settings.enabled ? host.state : { kind: 'paused' },
    model: facts === null ? null : summarizeModel(facts),
    memory,
    lastCompletion,
  };
}

function summarizeModel(facts: ModelFacts): ModelSummary {
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
    chat: facts.chatTemplate !== null,
  };
}
