import { formatFileSize, type MemorySummary, t } from '../../../server/protocol/index.js';
import { formatMemoryUse } from '../texts/format-quantity.js';

export interface MemoryPart {
  readonly label: string;
  readonly bytes: number;
  /** The text after the number, such as a model's name; empty for none. */
  readonly note: string;
}

/** The parts of the memory in use, in the order of display, without parts that the model lacks. */
export function memoryParts(memory: MemorySummary): readonly MemoryPart[] {
  const { inUseBytes, weightsBytes, mtpWeightsBytes, kvBytes, recurrentBytes } = memory;
  const { checkpointBytes, swappedBytes, computeBytes, chatModel, keptBytes } = memory;
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
    part(t('For other windows'), keptBytes),
  ];
  const rest = inUseBytes - known.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...known, part(t('Language server'), Math.max(0, rest))].filter(({ bytes }) => bytes > 0);
}

/** `1.2 GB`, with the note after it. */
export function describePart({ bytes, note }: MemoryPart): string {
  return note === '' ? formatFileSize(bytes) : `${formatFileSize(bytes)} (${note})`;
}

/** The user is warned from this share of the budget on. */
const WARNING_SHARE = 0.9;

/** A warning about the memory as a sentence; null without one. */
export function memoryWarning(memory: MemorySummary): string | null {
  const { inUseBytes, budgetBytes, windowCount, windowBytes, machineBytes } = memory;
  if (windowCount > 1 && windowBytes > machineBytes) {
    return t('The models of {0} windows need more memory than this machine has', windowCount);
  }
  if (inUseBytes > budgetBytes) return t('The memory budget is exceeded');
  return inUseBytes > budgetBytes * WARNING_SHARE ? t('The memory budget is almost used up') : null;
}

/** The status bar shows numbers from the first share of the budget on, until the use is below the second. */
const SHOW_FROM_SHARE = 0.7;
const HIDE_BELOW_SHARE = 0.65;

/**
 * Whether the user should see the memory without asking.
 *
 * @param shown whether it is visible already: numbers that come and go with every request would distract
 */
export function memoryMatters(memory: MemorySummary, shown: boolean): boolean {
  const share = memory.inUseBytes / memory.budgetBytes;
  return share >= (shown ? HIDE_BELOW_SHARE : SHOW_FROM_SHARE) || memoryWarning(memory) !== null;
}

/** `1.9 / 8.0 GB budget`, and where the model is unless this window has it. */
export function describeBudget({ inUseBytes, budgetBytes, elsewhereBytes }: MemorySummary): string {
  const use = formatMemoryUse(inUseBytes, budgetBytes);
  return elsewhereBytes === 0 ? t('{0} budget', use) : t('{0} budget; model shared with another window', use);
}

/** For a remote model, in short. */
export function describeOwnMemoryShortly({ inUseBytes }: MemorySummary): string {
  return t('{0} on this machine', formatFileSize(inUseBytes));
}

/** For a remote model, whose memory is unknown here. */
export function describeOwnMemory({ inUseBytes }: MemorySummary, remoteHost: string): string {
  return t('{0} on this machine; the model and its memory are on {1}', formatFileSize(inUseBytes), remoteHost);
}
