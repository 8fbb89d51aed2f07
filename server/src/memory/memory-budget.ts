/** Parts of the machine's memory: an editor, a browser and a build want the rest. */
const USUAL_SHARE = 0.55;
const LARGEST_SHARE = 0.85;

/** What a model needs besides what is held for it now: caches that make it fast. */
export const ROOM_TO_WORK = 1.25;

/**
 * How many bytes one server may use.
 * @param requestedBytes the user's setting; 0 chooses
 * @param neededBytes what the loaded model cannot do without; 0 while there is none
 */
export function memoryBudget(requestedBytes: number, machineBytes: number, neededBytes: number): number {
  if (requestedBytes > 0) return Math.min(requestedBytes, machineBytes);
  const wanted = Math.max(machineBytes * USUAL_SHARE, neededBytes * ROOM_TO_WORK);
  return Math.min(wanted, machineBytes * LARGEST_SHARE);
}
