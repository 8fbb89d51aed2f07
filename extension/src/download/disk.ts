import { rm, stat, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { formatFileSize, t } from '../../../server/protocol/index.js';
import { isInUse } from '../../../server/src/util/files/is-in-use.js';
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

export interface RemoveOptions {
  /** Windows deletes no file that a process has mapped. */
  readonly platform?: NodeJS.Platform;
  /** Between attempts. By default some seconds together, in which the language server gives a model back. */
  readonly delaysMs?: readonly number[];
  readonly remove?: (file: string) => Promise<void>;
}

/** Deletes a file, which may not be there, once no process of this machine has it open any more. */
export async function removeFile(
  file: string,
  {
    platform = process.platform,
    delaysMs = [100, 250, 500, 1_000, 2_000, 4_000],
    remove = (each) => rm(each, { force: true }),
  }: RemoveOptions = {},
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await remove(file);
    } catch (error) {
      const wait = isInUse(error, platform) ? delaysMs[attempt] : undefined;
      if (wait === undefined) throw error;
      await delay(wait);
    }
  }
}
