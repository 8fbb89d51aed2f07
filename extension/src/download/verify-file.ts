import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Large enough for an efficient hash, small enough not to block other work. */
const CHUNK_BYTES = 1 << 20;

/**
 * SHA-256 of the file on the disk, which is what will be used; lower-case hex.
 *
 * @param onProgress bytes hashed so far
 */
export async function hashFile(
  path: string,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    onProgress(bytes);
  }
  return hash.digest('hex');
}
