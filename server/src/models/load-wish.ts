import type { InklingSettings } from '../../protocol/index.js';
import type { LoadWish } from '../engine/engine.js';

/** What the settings ask the engine for. */
export function loadWish(settings: InklingSettings, starterModelPath: string): LoadWish {
  const { modelPath, threads, contextLength, memoryBudgetGb } = settings;
  const path = modelPath === '' ? starterModelPath : modelPath;
  return { path, threads, contextLength, budgetBytes: memoryBudgetGb * 1e9 };
}
