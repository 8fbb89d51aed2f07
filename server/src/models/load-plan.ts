import type { MemoryEstimate } from '../engine/memory-report.js';

/** Tokens of context of each slot. */
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
  /** The user left the length of the completion's context open. */
  readonly completion: boolean;
  /** Whether the chat slot will ever be made: the model has a chat template, and is not for chat alone. */
  readonly chats: boolean;
}

/** Bytes that a model may take, given those that it needs at least: the automatic budget grows with the need. */
export type LimitFor = (neededBytes: number) => number;

/** Prompts of suggestions are longer than half of this only in the largest files. */
export const LEAST_CONTEXT = 1024;

/** A length is a multiple of this. */
const CONTEXT_STEP = 256;

/** Budgets are rounded, so that a few bytes more or less in use do not change the plan and cause a new load. */
const BUDGET_STEP = 16 * 2 ** 20;

/** The needs of the slots come first; caches that make them faster get the rest. Null: nothing fits. */
export function planLengths(estimated: Estimated, freedom: Freedom, limitFor: LimitFor): Lengths | null {
  const fits = (bytes: number): boolean => bytes <= limitFor(bytes);
  const rungs = ladder(estimated.lengths, freedom);
  const whole = rungs.find((lengths) => fits(bytesAt(estimated, lengths, freedom.chats)));
  if (whole !== undefined) return whole;
  // Suggestions come first: a chat may never start, and its memory is given back in its pauses.
  const alone = rungs.find((lengths) => fits(bytesAt(estimated, lengths, false)));
  return alone === undefined ? null : { ...alone, chat: Math.min(LEAST_CONTEXT, estimated.lengths.chat) };
}

/** The bytes that the slots would need with these lengths, by linear interpolation. */
export function bytesAt({ estimate, lengths }: Estimated, { completion, chat }: Lengths, chats: boolean): number {
  const shorter = (lengths.completion - completion) * estimate.bytesPerToken;
  const chatSlot = estimate.chatSlotBytes - (lengths.chat - chat) * estimate.bytesPerToken;
  return estimate.neededBytes - shorter + (chats ? Math.max(0, chatSlot) : 0);
}

/** The longest context of suggestions that fits alone; null where even the shortest does not. */
export function longestContext(estimated: Estimated, limitFor: LimitFor): number | null {
  const { bytesPerToken, neededBytes } = estimated.estimate;
  const { completion } = estimated.lengths;
  const missing = neededBytes - limitFor(neededBytes);
  if (missing <= 0) return completion;
  if (bytesPerToken === 0) return null;
  const length = Math.floor((completion - missing / bytesPerToken) / CONTEXT_STEP) * CONTEXT_STEP;
  return length < LEAST_CONTEXT ? null : length;
}

/** Bytes for each slot's checkpoints and for swapped-out prompts; the engine chooses those that are absent. */
export interface CacheBudgets {
  readonly checkpointBudgetBytes?: number;
  readonly swapBudgetBytes?: number;
}

/** Shares out the bytes that the slots leave. @param leftBytes not negative */
export function planCaches({ estimate }: Estimated, leftBytes: number, { chats }: Freedom): CacheBudgets {
  const slots = chats ? 2 : 1;
  const { checkpointBudgetBytes, swapBudgetBytes } = estimate;
  if (checkpointBudgetBytes * slots + swapBudgetBytes <= leftBytes) return {};
  const round = (bytes: number): number => Math.floor(bytes / BUDGET_STEP) * BUDGET_STEP;
  const checkpoints = Math.min(checkpointBudgetBytes, round(leftBytes / (slots + 1)));
  const swapped = Math.min(swapBudgetBytes, round(leftBytes - checkpoints * slots));
  return { checkpointBudgetBytes: checkpoints, swapBudgetBytes: swapped };
}

/** All lengths from the requested ones to the shortest useful ones: each step halves the longer of both. */
function ladder(start: Lengths, freedom: Freedom): readonly Lengths[] {
  const halve = (length: number): number =>
    Math.max(LEAST_CONTEXT, Math.floor(length / 2 / CONTEXT_STEP) * CONTEXT_STEP);
  const rungs: Lengths[] = [start];
  for (let { completion, chat } = start; ; ) {
    const canCompletion = freedom.completion && completion > LEAST_CONTEXT;
    const canChat = freedom.chats && chat > LEAST_CONTEXT;
    if (!canCompletion && !canChat) return rungs;
    if (canCompletion && (!canChat || completion >= chat)) completion = halve(completion);
    else chat = halve(chat);
    rungs.push({ completion, chat });
  }
}
