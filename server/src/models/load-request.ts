import type { InklingSettings } from '../../protocol/index.js';
import type { LoadRequest } from '../engine/engine.js';

/** What the settings ask the engine for. */
export function loadRequest(settings: InklingSettings, starterModelPath: string): LoadRequest {
  const { modelPath, threads, contextLength, memoryBudgetGb } = settings;
  const path = modelPath === '' ? starterModelPath : modelPath;
  return { path, threads, contextLength, budgetBytes: memoryBudgetGb * 1e9 };
}

/**
 * What they ask a model for chat alone for; null where one serves both.
 * @param shared what they ask the other one for
 * @param unfitPath of a model that cannot complete, so that it cannot serve both; null where none is known
 */
export function chatLoadRequest(
  { chatModelPath, remoteUrl }: InklingSettings,
  shared: LoadRequest,
  unfitPath: string | null,
): LoadRequest | null {
  // While another machine completes, that one is not loaded here.
  const serves = remoteUrl === '' && chatModelPath === shared.path && chatModelPath !== unfitPath;
  if (chatModelPath === '' || serves) return null;
  return { ...shared, path: chatModelPath, requireFim: false };
}
