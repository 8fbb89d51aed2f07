import { errorCode } from '../error-code.js';

const CODES: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/**
 * Whether a file could not be opened, replaced or deleted because a program has it open, such as one that looks for
 * viruses. Only Windows refuses that, with the codes for missing rights. For files in a folder that this process has
 * just written to.
 */
export function isInUse(error: unknown, platform = process.platform): boolean {
  return platform === 'win32' && CODES.has(errorCode(error));
}
