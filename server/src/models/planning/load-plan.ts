import type { MemoryEstimate } from '../../engine/port/memory-report.js';

/** Context length of each slot in tokens. */
export interface Lengths {
  readonly completion: number;
  readonly chat: number;
}

/** An estimate, and the lengths that it is for. */
export interface Estimated {
  readonly lengths: Lengths;
  readonly estimate: Pick<
    MemoryEstimate,
    'neededBytes' | 'chatSlotBytes' | 'bytesPerToken' | 'checkpointBudgetBytes' | 'swapBudgetBytes'
  >;
}

export interface Freedom {
  /** Whether we may choose the length of the completion slot's context. */
  readonly completion: boolean;
  /** Whether the chat slot will exist: the model has a chat template and is not for chat alone. */
  readonly chats: boolean;
}

/** Bytes that a model may take, given its minimum: the automatic budget grows with the need. */
export type LimitFor = (neededBytes: number) => number;

/** Only in the largest files is a prompt longer than half of this. */
export const LEAST_CONTEXT = 1024;

/** A length is a multiple of this. */
const CONTEXT_STEP = 256;

/** Budgets are rounded, so that a few bytes more or less in use change no plan and cause no new load. */
const BUDGET_STEP = 16 * 2 ** 20;

/** The slots' needs come first, after the weights; caches get the rest. Null: nothing fits. */
export function planLengths(estimated: Estimated, freedom: Freedom, limitFor: LimitFor): Lengths | null {
  const fits = (bytes: number): boolean => bytes <= limitFor(bytes);
  const candidates = candidateLengths(estimated.lengths, freedom);
  const whole = candidates.find((lengths) => fits(bytesAt(estimated, lengths, freedom.chats)));
  if (whole !== undefined) return whole;
  // Suggestions do not wait for a chat that may never begin. Its memory is freed again in its pauses.
  const alone = candidates.find((lengths) => fits(bytesAt(estimated, lengths, false)));
  return alone === undefined ? null : { ...alone, chat: Math.min(LEAST_CONTEXT, estimated.lengths.chat) };
}

/** The slots' memory with these lengths, extrapolated linearly from the estimate. */
export function bytesAt({ estimate, lengths }: Estimated, { completion, chat }: Lengths, chats: boolean): number {
  const shorter = (lengths.completion - completion) * estimate.bytesPerToken;
  const chatSlot = estimate.chatSlotBytes - (lengths.chat - chat) * estimate.bytesPerToken;
  return estimate.neededBytes - shorter + (chats ? Math.max(0, chatSlot) : 0);
}

/** The longest context of suggestions that fits alone; null if none is long enough. */
export function longestContext(estimated: Estimated, limitFor: LimitFor): number | null {
  const { bytesPerToken, neededBytes } = estimated.estimate;
  const { completion } = estimated.lengths;
  const missing = neededBytes - limitFor(neededBytes);
  if (missing <= 0) return completion;
  if (bytesPerToken === 0) return null;
  const length = Math.floor((completion - missing / bytesPerToken) / CONTEXT_STEP) * CONTEXT_STEP;
  return length < LEAST_CONTEXT ? null : length;
}

/** Bytes for each slot's checkpoints and for swapped-out prompts; the engine chooses an absent value. */
export interface CacheBudgets {
  readonly checkpointBudgetBytes?: number;
  readonly swapBudgetBytes?: number;
}

/**
 * Divides the memory that the slots leave.
 *
 * @param leftBytes not negative
 */
export function planCaches({ estimate }: Estimated, leftBytes: number, { chats }: Freedom): CacheBudgets {
  const slots = chats ? 2 : 1;
  const { checkpointBudgetBytes, swapBudgetBytes } = estimate;
  if (checkpointBudgetBytes * slots + swapBudgetBytes <= leftBytes) return {};
  const round = (bytes: number): number => Math.floor(bytes / BUDGET_STEP) * BUDGET_STEP;
  const checkpoints = Math.min(checkpointBudgetBytes, round(leftBytes / (slots + 1)));
  const swapped = Math.min(swapBudgetBytes, round(leftBytes - checkpoints * slots));
  return { checkpointBudgetBytes: checkpoints, swapBudgetBytes: swapped };
}

/** Candidate lengths from the request down to the minimum, halving the longer of both each time. */
function candidateLengths(start: Lengths, freedom: Freedom): readonly Lengths[] {
  const halve = (length: number): number =>
    Math.max(LEAST_CONTEXT, Math.floor(length / 2 / CONTEXT_STEP) * CONTEXT_STEP);
  const candidates: Lengths[] = [start];
  for (let { completion, chat } = start; ; ) {
    const canCompletion = freedom.completion && completion > LEAST_CONTEXT;
    const canChat = freedom.chats && chat > LEAST_CONTEXT;
    if (!canCompletion && !canChat) return candidates;
    if (canCompletion && (!canChat || completion >= chat)) completion = halve(completion);
    else chat = halve(chat);
    candidates.push({ completion, chat });
  }
}
