/** Shares of the machine's memory: editor, browser and builds need the rest. */
const USUAL_SHARE = 0.55;
const LARGEST_SHARE = 0.85;

/** Factor for what a model needs beyond its current memory: caches that make it fast. */
export const ROOM_TO_WORK = 1.25;

/** Whether the user's setting is the limit. A larger one than the machine limits nothing. */
export function limitsMemory(requestedBytes: number, machineBytes: number): boolean {
  return requestedBytes > 0 && requestedBytes < machineBytes;
}

/**
 * How many bytes one server may use.
 *
 * @param requestedBytes the user's setting; 0 chooses
 * @param neededBytes minimum for the loaded model; 0 without one
 */
export function memoryBudget(requestedBytes: number, machineBytes: number, neededBytes: number): number {
  if (requestedBytes > 0) return Math.min(requestedBytes, machineBytes);
  const wanted = Math.max(machineBytes * USUAL_SHARE, neededBytes * ROOM_TO_WORK);
  return Math.min(wanted, machineBytes * LARGEST_SHARE);
}
