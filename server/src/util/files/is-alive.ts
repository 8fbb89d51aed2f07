import { errorCode } from '../error-code.js';

/** Whether a process with this id runs, of whatever user; false for what is no process id. */
export function isAlive(processId: number): boolean {
  // Zero and negative numbers name groups of processes.
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Not allowed to signal it: then it exists.
    return errorCode(error) === 'EPERM';
  }
}
