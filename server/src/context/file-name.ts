import path from 'node:path/posix';
import type { FileLocation } from './file-location.js';

/**
 * How a prompt names a file: relative to its workspace folder, as models have seen files named, or by its bare name
 * outside every folder. A file name may hold a line end; the prompt's line may not.
 */
export function nameOf({ key, path: file }: FileLocation, folder: string | null): string {
  const name =
    file === '' ? key.slice(key.indexOf(':') + 1) : folder === null ? path.basename(file) : path.relative(folder, file);
  return name.replace(/[\r\n]+/g, ' ');
}
