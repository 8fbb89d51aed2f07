import { type MemorySummary, t } from '../../../server/protocol/index.js';
import { formatFileSize, formatMemoryUse } from '../format-quantity.js';

export interface MemoryPart {
  readonly label: string;
  readonly bytes: number;
  /** What stands behind the number, such as a model's name; empty for nothing. */
  readonly note: string;
}

/** What the memory is used for, in the order in which it is shown; parts that the model has not are left out. */
export function memoryParts(memory: MemorySummary): readonly MemoryPart[] {
  const { inUseBytes, weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes } = memory;
  const { checkpointBytes, swappedBytes, computeBytes, chatModel } = memory;
  const part = (label: string, bytes: number, note = ''): MemoryPart => ({ label, bytes, note });
  const known = [
    part(t('Weights'), weightsBytes),
    part(t('Draft head (MTP)'), mtpWeightsBytes),
    part(t('KV cache'), kvBytes),
    part(t('Recurrent state'), recurrentBytes),
    part(t('Checkpoints'), checkpointBytes),
    part(t('Swapped-out prompts'), swappedBytes),
    part(t('Compute buffers'), computeBytes),
    part(t('Chat model'), chatModel?.bytes ?? 0, chatModel?.name),
  ];
  const rest = inUseBytes - known.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...known, part(t('Language server'), Math.max(0, rest))].filter(({ bytes }) => bytes > 0);
}

/** `1.2 GB`, with what stands behind it. */
export function describePart({ bytes, note }: MemoryPart): string {
  return note === '' ? formatFileSize(bytes) : `${formatFileSize(bytes)} (${note})`;
}

/** From this share of the budget on, the user should know. */
const WARNING_SHARE = 0.9;

/** What is wrong with the memory, in a sentence; null while nothing is. */
export function memoryWarning(memory: MemorySummary): string | null {
  const { inUseBytes, budgetBytes, windowCount, windowBytes, machineBytes } = memory;
  if (windowCount > 1 && windowBytes > machineBytes) {
    return t('The models of {0} windows need more memory than this machine has', windowCount);
  }
  return inUseBytes > budgetBytes * WARNING_SHARE ? t('The memory budget is almost used up') : null;
}

/** `1.9 / 8.0 GB budget`. */
export function describeBudget({ inUseBytes, budgetBytes }: MemorySummary): string {
  return t('{0} budget', formatMemoryUse(inUseBytes, budgetBytes));
}

/** While the model is another machine's: its memory is not known here, and is not claimed to be. */
export function describeOwnMemory({ inUseBytes }: MemorySummary, remoteHost: string): string {
  return t('{0} on this machine; the model and its memory are on {1}', formatFileSize(inUseBytes), remoteHost);
}
