import type { InklingSettings } from '../../protocol/index.js';
import type { LoadWish } from '../engine/engine.js';

/** What the settings ask the engine for. */
export function loadWish(settings: InklingSettings, starterModelPath: string): LoadWish {
  const { modelPath, threads, contextLength, memoryBudgetGb } = settings;
  const path = modelPath === '' ? starterModelPath : modelPath;
  return { path, threads, contextLength, budgetBytes: memoryBudgetGb * 1e9 };
}

/** What they ask a model for chat alone for; null where one serves both. @param shared what they ask the other one for */
export function chatLoadWish({ chatModelPath }: InklingSettings, shared: LoadWish): LoadWish | null {
  if (chatModelPath === '' || chatModelPath === shared.path) return null;
  return { ...shared, path: chatModelPath, requireFim: false };
}
