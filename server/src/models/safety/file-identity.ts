import { stat } from 'node:fs/promises';
import { isNumber, isRecord, isText } from '../../../protocol/index.js';
import { ifReadable } from '../../util/if-readable.js';

/** A file as it was at one time: another size or time of change makes it another file. */
export interface FileIdentity {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Null for a file that is not there. */
export async function identify(path: string): Promise<FileIdentity | null> {
  const status = await ifReadable(stat(path));
  return status && { path, size: status.size, mtimeMs: status.mtimeMs };
}

export function isSameFile(left: FileIdentity, right: FileIdentity): boolean {
  return left.path === right.path && left.size === right.size && left.mtimeMs === right.mtimeMs;
}

/** Null for what is no identity: the value comes from a file that any program may have written. */
export function parseIdentity(value: unknown): FileIdentity | null {
  if (!isRecord(value)) return null;
  const { path, size, mtimeMs } = value;
  const isTime = isNumber(mtimeMs, -Number.MAX_VALUE, Number.MAX_VALUE);
  return isText(path) && isNumber(size, 0, Number.MAX_VALUE) && isTime ? { path, size, mtimeMs } : null;
}
