import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Another program may have put something else there: opening a pipe would wait until a program writes to it. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** What is there is no file, or too large to be ours. */
export class StrangeFileError extends Error {
  override readonly name = 'StrangeFileError';
}

export interface SmallFile {
  readonly text: string;
  readonly stats: Stats;
}

/**
 * Reads a file that is shared with other processes. Takes no longer, and holds no more, whatever is there.
 *
 * @param flags more of them, such as `O_NOFOLLOW`
 * @throws StrangeFileError; the file system's errors
 */
export function readSmallFile(path: string, mostBytes: number, flags = 0): SmallFile {
  const file = openSync(path, FLAGS | flags);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new StrangeFileError(`${path} is no file`);
    // One byte more tells a file that is too large, also one that grows meanwhile.
    const buffer = Buffer.alloc(Math.min(stats.size, mostBytes) + 1);
    const bytes = fill(buffer, file);
    if (bytes > mostBytes) throw new StrangeFileError(`${path} is too large`);
    return { text: buffer.toString('utf8', 0, bytes), stats };
  } finally {
    closeSync(file);
  }
}

/** A network drive may answer with a part. @returns the bytes until the buffer is full or the file ends */
function fill(buffer: Buffer, file: number): number {
  let bytes = 0;
  while (bytes < buffer.length) {
    const read = readSync(file, buffer, bytes, buffer.length - bytes, bytes);
    if (read === 0) break;
    bytes += read;
  }
  return bytes;
}
