import { type MemorySummary, t } from '../../../server/protocol/index.js';
import { formatMemoryUse } from '../format-quantity.js';

export interface MemoryPart {
  readonly label: string;
  readonly bytes: number;
}

/** What the memory is used for, in the order in which it is shown; parts that the model has not are left out. */
export function memoryParts(memory: MemorySummary): readonly MemoryPart[] {
  const { inUseBytes, weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes } = memory;
  const { checkpointBytes, parkedBytes, computeBytes } = memory;
  const known: readonly MemoryPart[] = [
    { label: t('Weights'), bytes: weightsBytes },
    { label: t('Draft head (MTP)'), bytes: mtpWeightsBytes },
    { label: t('KV cache'), bytes: kvBytes },
    { label: t('Recurrent state'), bytes: recurrentBytes },
    { label: t('Checkpoints'), bytes: checkpointBytes },
    { label: t('Parked prompts'), bytes: parkedBytes },
    { label: t('Compute'), bytes: computeBytes },
  ];
  const rest = inUseBytes - known.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...known, { label: t('Server itself'), bytes: Math.max(0, rest) }].filter(({ bytes }) => bytes > 0);
}

/** From this share of the budget on, the user should know. */
const WARNING_SHARE = 0.9;

/** What is wrong with the memory, in a sentence; null while nothing is. */
export function memoryWarning(memory: MemorySummary): string | null {
  const { inUseBytes, budgetBytes, windowCount, windowBytes, machineBytes } = memory;
  if (windowCount > 1 && windowBytes > machineBytes) {
    return t('The models of {0} windows need more memory than this machine has', windowCount);
  }
  return inUseBytes > budgetBytes * WARNING_SHARE ? t('The memory budget is nearly used up') : null;
}

/** `1.9 / 8.0 GB budget`. */
export function describeBudget({ inUseBytes, budgetBytes }: MemorySummary): string {
  return t('{0} budget', formatMemoryUse(inUseBytes, budgetBytes));
}
