import { stat, statfs } from 'node:fs/promises';
import { formatFileSize, t } from '../../../server/protocol/index.js';
import { DownloadError } from './download-error.js';

/** In bytes; null if there is no such file. */
export async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * @param missingBytes to be written to the folder
 * @param reservedBytes that must stay free after that
 * @throws DownloadError `diskFull`
 */
export async function requireSpace(folder: string, missingBytes: number, reservedBytes: number): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(folder);
  // A file system without blocks does not say how much is free; one without free blocks is full.
  if (blocks === 0) return;
  const free = bavail * bsize;
  if (missingBytes + reservedBytes <= free) return;
  const message = t(
    'Not enough disk space: {0} free. The download needs {1} more, and {2} must stay free.',
    ...[free, missingBytes, reservedBytes].map(formatFileSize),
  );
  throw new DownloadError('diskFull', message);
}
