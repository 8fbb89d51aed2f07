import type { InklingSettings } from '../../../protocol/index.js';
import type { LoadRequest } from '../../engine/port/engine.js';
import { suggestionContextLength } from '../../prompt/token-budget.js';

/**
 * The load request that follows from the settings.
 *
 * @param promptTokens how long a prompt a model must have room for
 */
export function loadRequest(
  settings: InklingSettings,
  starterModelPath: string,
  promptTokens: (path: string) => number,
): LoadRequest {
  const { modelPath, threads, contextLength, maxTokens, memoryBudgetGb, device, engineShare: share } = settings;
  const path = modelPath === '' ? starterModelPath : modelPath;
  const suggestionTokens = suggestionContextLength(promptTokens(path), maxTokens);
  const budgetBytes = memoryBudgetGb * 1e9;
  return { path, threads, contextLength, suggestionTokens, budgetBytes, deviceSetting: device, share };
}

/**
 * The load request for a chat model of its own; null if one model serves both.
 *
 * @param shared the request for the other model
 * @param unfitPath of a model that cannot complete and so cannot serve both; null if none is known
 */
export function chatLoadRequest(
  { chatModelPath, remoteUrl }: InklingSettings,
  shared: LoadRequest,
  unfitPath: string | null,
): LoadRequest | null {
  // While a remote server completes, that model is not loaded here.
  const serves = remoteUrl === '' && chatModelPath === shared.path && chatModelPath !== unfitPath;
  if (chatModelPath === '' || serves) return null;
  return { ...shared, path: chatModelPath, requireFim: false, suggestionTokens: 0 };
}
