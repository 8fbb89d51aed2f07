import type { MemorySummary } from '../../../server/protocol/index.js';

export interface MemoryPart {
  readonly label: string;
  readonly bytes: number;
}

/** What the memory is used for, in the order in which it is shown; parts that the model has not are left out. */
export function memoryParts(memory: MemorySummary): readonly MemoryPart[] {
  const { inUseBytes, weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes } = memory;
  const { checkpointBytes, parkedBytes, computeBytes } = memory;
  const known: readonly MemoryPart[] = [
    { label: 'Weights', bytes: weightsBytes },
    { label: 'Draft head (MTP)', bytes: mtpWeightsBytes },
    { label: 'KV cache', bytes: kvBytes },
    { label: 'Recurrent state', bytes: recurrentBytes },
    { label: 'Checkpoints', bytes: checkpointBytes },
    { label: 'Parked prompts', bytes: parkedBytes },
    { label: 'Compute', bytes: computeBytes },
  ];
  const rest = inUseBytes - known.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...known, { label: 'Server itself', bytes: Math.max(0, rest) }].filter(({ bytes }) => bytes > 0);
}

/** From this share of the budget on, the user should know. */
const WARNING_SHARE = 0.9;

/** What is wrong with the memory, in a sentence; null while nothing is. */
export function memoryWarning(memory: MemorySummary): string | null {
  const { inUseBytes, budgetBytes, windowCount, windowBytes, machineBytes } = memory;
  if (windowCount > 1 && windowBytes > machineBytes) {
    return `The models of ${windowCount} windows need more memory than this machine has`;
  }
  return inUseBytes > budgetBytes * WARNING_SHARE ? 'The memory budget is nearly used up' : null;
}
